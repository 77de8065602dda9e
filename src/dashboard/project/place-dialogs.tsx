/** The dialogs that rename and remove a language or a namespace. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { sameIgnoringCase } from '../../bundle/names.ts'
import { ApiProblem, answer } from '../api/answer.ts'
import { deleteLanguage, type Manifest, pushBundles, renameLanguage, renameNamespace } from '../api/client.ts'
import { languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/confirm.tsx'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { LanguageField } from './language-field.tsx'
import type { MatrixPlace } from './matrix-axes.ts'
import { useLanguage } from './use-language.ts'

interface Props {
  slug: string
  manifest: Manifest
  place: MatrixPlace
  onClose: () => void
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
  const title = t('removeNamed', { name })
  return (
    <Confirm
      title={title}
      doIt={title}
      typed={place.namespace ?? place.language!}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await removePlace(slug, place, manifest)
        announce(t('removed', { name }))
        await client.invalidateQueries({ queryKey: ['project', slug] })
      }}
    >
      <p>{place.namespace === undefined ? t('removeLanguageBack') : t('removeNamespaceBack')}</p>
    </Confirm>
  )
}

/** Asks for a name that the project lacks. */
export function RenamePlace({ slug, manifest, place, onClose }: Props) {
  const { t } = useTranslation('projects')
  const client = useQueryClient()
  const name = usePlaceName(place)
  const isLanguage = place.language !== undefined
  const language = useLanguage()
  const [typed, setTyped] = useState(place.namespace ?? '')
  const { pending, problem, send } = useSubmission()
  const rename = () => {
    const to = isLanguage ? language.resolve() : typed.trim()
    if (to === undefined) return
    void send(async () => {
      const others = isLanguage ? manifest.languages : manifest.namespaces
      const twin = others.find(other => sameIgnoringCase(other, to))
      if (twin !== undefined) throw new ApiProblem(409, t('languageThere', { tag: twin }))
      await renamePlace(slug, place, to)
      await client.invalidateQueries({ queryKey: ['project', slug] })
      onClose()
      return t('renamed', { name, to })
    })
  }
  return (
    <Dialog title={t('renameNamed', { name })} isOpen onClose={onClose}>
      <Form onSubmit={rename} native>
        {isLanguage ? (
          <LanguageField
            label={t('newLanguage')}
            hint={t('tagHint')}
            without={manifest.languages}
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

/** A push that replaces bundles; an empty one is deleted. */
const REPLACING = { overwrite: 'true', prune: 'true' } as const

/** @throws ApiProblem */
async function removePlace(slug: string, { language, namespace }: MatrixPlace, { languages }: Manifest) {
  if (namespace === undefined) return answer(deleteLanguage({ slug, language: language! }))
  const bundles = Object.fromEntries(languages.map(each => [each, { [namespace]: {} }]))
  const message = `${slug} ${namespace}: delete the namespace`
  return answer(pushBundles({ slug, ...REPLACING, manyPush: { bundles, message } }))
}

/** Gives a language or a namespace another name that the project lacks. @throws ApiProblem */
const renamePlace = (slug: string, { language, namespace }: MatrixPlace, to: string) =>
  namespace === undefined
    ? answer(renameLanguage({ slug, body: { from: language!, to } }))
    : answer(renameNamespace({ slug, body: { from: namespace, to } }))
