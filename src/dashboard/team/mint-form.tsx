/** The scope, expiry and projects of a new token. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import { type MintedToken, mintToken, type Token } from '../api/client.ts'
import { useProjects } from '../api/queries.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { SubmitActions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { Select } from '../ui/select.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { TOKENS } from './queries.ts'
import { DEFAULT_DAYS, SCOPES, scopeWords } from './scopes.ts'
import styles from './team.module.css'

/** In days; the server allows up to ten years. */
const LIVES = ['30', '90', `${DEFAULT_DAYS}`, 'never'] as const
type Life = (typeof LIVES)[number]

interface MintFormProps {
  /** Offers what an agent needs: suggestions in the first project. */
  isForAgent: boolean
  /** Gets the token with its key. */
  onMinted: (token: MintedToken) => void
  onCancel: () => void
}

export function MintForm({ isForAgent, onMinted, onCancel }: MintFormProps) {
  const { t } = useTranslation('team')
  const client = useQueryClient()
  const projects = useProjects()
  const [name, setName] = useState(isForAgent ? 'agent' : '')
  const [scope, setScope] = useState<Token['scope']>(isForAgent ? 'suggest' : 'read')
  const [life, setLife] = useState<Life>(`${DEFAULT_DAYS}`)
  const [chosen, setOnly] = useState<readonly string[]>()
  const only = chosen ?? (isForAgent ? (projects.data ?? []).slice(0, 1).map(({ slug }) => slug) : [])
  const { pending, problem, faults, send } = useSubmission({
    faults: { name: name.trim() === '' ? t('common:needsName') : '' },
  })
  const mint = () =>
    send(async () => {
      const limits = {
        ...(only.length > 0 && { projects: [...only] }),
        ...(life !== 'never' && { expiresInDays: Number(life) }),
      }
      const minted = await answer(mintToken({ newToken: { name: name.trim(), scope, ...limits } }))
      void client.invalidateQueries({ queryKey: TOKENS })
      onMinted(minted)
      return t('minted')
    })
  return (
    <Form onSubmit={mint}>
      <Wrong problem={problem} />
      <TextField
        label={t('common:name')}
        hint={t('tokenNameHint')}
        autoComplete="off"
        value={name}
        onChange={setName}
        autoFocus
        error={faults.name}
      />
      <Select
        label={t('scope')}
        choices={SCOPES.map(id => ({ id, ...scopeWords(id, t) }))}
        hint={scopeWords(scope, t).note}
        value={scope}
        onChange={setScope}
      />
      <Select
        label={t('life')}
        choices={LIVES.map(id => ({
          id,
          label: id === 'never' ? t('neverExpires') : t('days', { count: Number(id) }),
        }))}
        value={life}
        onChange={setLife}
      />
      {(projects.data?.length ?? 0) > 0 && (
        <fieldset>
          <legend className={styles.legend}>{t('whichProjects')}</legend>
          <p className="quiet">{t('whichProjectsHint')}</p>
          <div className={styles.projects}>
            {projects.data?.map(({ slug, name }) => (
              <Checkbox
                key={slug}
                isSelected={only.includes(slug)}
                onChange={isChosen => setOnly(isChosen ? [...only, slug] : only.filter(one => one !== slug))}
              >
                {name} <code>{slug}</code>
              </Checkbox>
            ))}
          </div>
        </fieldset>
      )}
      <SubmitActions isPending={pending} onCancel={onCancel}>
        {t('mint')}
      </SubmitActions>
    </Form>
  )
}
