/** The dialogs of a project: they begin, rename, remove and export languages and namespaces. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { sameIgnoringCase } from '../../bundle/names.ts'
import { ApiProblem, answer, serverAddress } from '../api/answer.ts'
import { deleteLanguage, type Manifest, pushBundles, putKey, renameLanguage, renameNamespace } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Actions, Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form, TextField, useSubmission } from '../ui/form.tsx'
import { go, projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Select } from '../ui/select.tsx'
import type { MatrixPlace } from './matrix-axes.ts'
import { LanguageField, useLanguage } from './project-fields.tsx'

interface Props {
  slug: string
  manifest: Manifest
  /** What is renamed or removed; what is chosen first. */
  place: MatrixPlace
  onClose: () => void
}

/** A dialog that retains what was typed into it while it is closed. */
type Retaining = Omit<Props, 'place'> & { isOpen: boolean }

/**
 * Asks for a tag and opens the editor. A language exists from its first text on, as a bundle without texts has no
 * file.
 */
export function AddLanguage({ slug, manifest, isOpen, onClose }: Retaining) {
  const { t } = useTranslation('projects')
  const { field, resolve, refuse } = useLanguage()
  const add = () => {
    const language = resolve()
    if (language === undefined) return
    const there = manifest.languages.find(other => sameIgnoringCase(other, language))
    if (there !== undefined) return refuse(t('languageThere', { tag: there }))
    onClose()
    go(projectAddress(slug, language))
  }
  return (
    <Dialog title={t('addLanguage')} isOpen={isOpen} onClose={onClose}>
      <Form onSubmit={add} native>
        <LanguageField
          label={t('common:language')}
          hint={t('tagHint')}
          without={manifest.languages}
          {...field}
          autoFocus
        />
        <Notice>{t('languageFrom')}</Notice>
        <SubmitActions isDisabled={field.value.trim() === ''} onCancel={onClose}>
          {t('translate')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}

/** Writes namespace, key and source text in one request, then opens the editor. */
export function AddNamespace({ slug, manifest: { sourceLanguage: language }, isOpen, onClose }: Retaining) {
  const { t, i18n } = useTranslation('projects')
  const client = useQueryClient()
  const [namespace, setNamespace] = useState('')
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const { pending, problem, send } = useSubmission()
  const add = () =>
    send(async () => {
      await answer(putKey({ slug, language, $namespace: namespace, key, newValue: { value } }))
      await client.invalidateQueries({ queryKey: ['project', slug] })
      onClose()
      go(projectAddress(slug, language, namespace, key))
      return t('namespaceAdded', { name: namespace })
    })
  return (
    <Dialog title={t('addNamespace')} isOpen={isOpen} onClose={onClose}>
      <p>{t('namespaceWhy')}</p>
      <Form onSubmit={add} native>
        <TextField label={t('common:namespace')} value={namespace} onChange={setNamespace} code isRequired autoFocus />
        <TextField label={t('firstKey')} value={key} onChange={setKey} code isRequired />
        <TextField
          label={t('textIn', { language: languageName(language, i18n.language) })}
          value={value}
          onChange={setValue}
          lines={2}
          isRequired
        />
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('add')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}

/** A language as name and tag, a namespace as it is. */
function usePlaceName({ language = '', namespace }: MatrixPlace): string {
  const { i18n } = useTranslation()
  return namespace ?? `${languageName(language, i18n.language)} (${language})`
}

/** Its tag or name has to be typed first. */
export function RemovePlace({ slug, manifest, place, onClose }: Props) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  const name = usePlaceName(place)
  const { language, namespace } = place
  const title = t('removeNamed', { name })
  const remove = async () => {
    if (namespace === undefined) await answer(deleteLanguage({ slug, language: language! }))
    else {
      // A push that replaces bundles: an empty one is deleted.
      const bundles = Object.fromEntries(manifest.languages.map(each => [each, { [namespace]: {} }]))
      const manyPush = { bundles, message: `${slug} ${namespace}: delete the namespace` }
      await answer(pushBundles({ slug, overwrite: 'true', prune: 'true', manyPush }))
    }
    announce(t('removed', { name }))
    await client.invalidateQueries({ queryKey: ['project', slug] })
  }
  return (
    <Confirm title={title} doIt={title} typed={namespace ?? language!} isOpen onClose={onClose} onConfirm={remove}>
      <p>{namespace === undefined ? t('removeLanguageBack') : t('removeNamespaceBack')}</p>
    </Confirm>
  )
}

/** Asks for a name that the project lacks. */
export function RenamePlace({ slug, manifest: { languages, namespaces }, place, onClose }: Props) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  const name = usePlaceName(place)
  const language = useLanguage()
  const [typed, setTyped] = useState(place.namespace ?? '')
  const { pending, problem, send } = useSubmission()
  const rename = () => {
    const to = place.namespace === undefined ? language.resolve() : typed.trim()
    if (to === undefined) return
    void send(async () => {
      const others = place.namespace === undefined ? languages : namespaces
      const twin = others.find(other => sameIgnoringCase(other, to))
      if (twin !== undefined) throw new ApiProblem(409, t('languageThere', { tag: twin }))
      if (place.namespace === undefined) await answer(renameLanguage({ slug, body: { from: place.language!, to } }))
      else await answer(renameNamespace({ slug, body: { from: place.namespace, to } }))
      await client.invalidateQueries({ queryKey: ['project', slug] })
      onClose()
      return t('renamed', { name, to })
    })
  }
  return (
    <Dialog title={t('renameNamed', { name })} isOpen onClose={onClose}>
      <Form onSubmit={rename} native>
        {place.namespace === undefined ? (
          <LanguageField
            label={t('newLanguage')}
            hint={t('tagHint')}
            without={languages}
            {...language.field}
            autoFocus
          />
        ) : (
          <TextField label={t('newName')} value={typed} onChange={setTyped} code isRequired autoFocus />
        )}
        <p>{t('renameBack')}</p>
        <SubmitActions problem={problem} isPending={pending} onCancel={onClose}>
          {t('renameNow')}
        </SubmitActions>
      </Form>
    </Dialog>
  )
}

/** A link to the API's export; the browser saves the download. */
export function Export({ slug, manifest, place, onClose }: Props) {
  const { t, i18n } = useTranslation('projects')
  const [language, setLanguage] = useState(place.language ?? '')
  const [namespace, setNamespace] = useState(place.namespace ?? '')
  const [format, setFormat] = useState<'zip' | 'json'>('zip')
  const [filled, setFilled] = useState(false)
  const query = new URLSearchParams({
    ...(language !== '' && { language }),
    ...(namespace !== '' && { namespace }),
    ...(format === 'json' && { format }),
    ...(filled && { empty: 'omit' }),
  })
  return (
    <Dialog title={t('export')} isOpen onClose={onClose}>
      <div className="stack4">
        <Select
          label={t('common:languages')}
          choices={[
            { id: '', label: t('allLanguages') },
            ...manifest.languages.map(id => ({ id, label: languageName(id, i18n.language), note: id })),
          ]}
          value={language}
          onChange={setLanguage}
        />
        <Select
          label={t('common:namespace')}
          choices={[{ id: '', label: t('allNamespaces') }, ...manifest.namespaces.map(id => ({ id, label: id }))]}
          value={namespace}
          onChange={setNamespace}
        />
        <Select
          label={t('format')}
          choices={[
            { id: 'zip', label: t('zip'), note: '<language>/<namespace>.json' },
            { id: 'json', label: t('oneJson'), note: '{ language: { namespace: { … } } }' },
          ]}
          value={format}
          onChange={setFormat}
        />
        <Checkbox isSelected={filled} onChange={setFilled}>
          {t('leaveEmptyOut')}
        </Checkbox>
        <Actions>
          <ButtonLink
            look="primary"
            href={`${serverAddress()}/api/projects/${encodeURIComponent(slug)}/export?${query}`}
            download={`${slug}.${format}`}
            onClick={onClose}
          >
            {t('common:download')}
          </ButtonLink>
        </Actions>
      </div>
    </Dialog>
  )
}
