/** Imports a file of terms: first what would change, then the write. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ApiProblem, response } from '../api/answer.ts'
import {
  importGlossaryCsv,
  importGlossaryTbx,
  importProjectGlossaryCsv,
  importProjectGlossaryTbx,
} from '../api/late-client.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Actions, Dialog } from '../ui/dialog.tsx'
import { Wrong } from '../ui/form.tsx'
import { Loaded } from '../ui/state.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { glossaryQuery } from './glossary-reads.ts'

interface Props {
  slug: string | undefined
  file: File
  onClose: () => void
}

/** The write holds only for the glossary that the plan was computed for. */
export function ImportTerms({ slug, file, onClose }: Props) {
  const { t } = useTranslation('glossary')
  const client = useQueryClient()
  const [isWhole, setIsWhole] = useState(false)
  const { pending, problem, send } = useSubmission()
  const plan = useQuery({
    queryKey: ['terms-plan', slug, file.name, file.size, file.lastModified, isWhole],
    queryFn: () => sendFile(slug, file, { isWhole, dryRun: 'true' }),
    retry: false,
    staleTime: 0,
    gcTime: 0,
  })
  const write = () =>
    send(async () => {
      try {
        await sendFile(slug, file, { isWhole, ifMatch: plan.data!.headers.get('etag')! })
      } catch (error) {
        if (error instanceof ApiProblem && error.status === 412) void plan.refetch()
        throw error
      }
      await client.invalidateQueries({ queryKey: glossaryQuery(slug).queryKey, exact: true })
      onClose()
      return t('imported', { file: file.name })
    })
  return (
    <Dialog title={t('importOne', { file: file.name })} isOpen onClose={onClose}>
      <Loaded read={plan} lines={2}>
        {({ data: { added, updated, removed } }) => (
          <p>
            {[
              t('planAdded', { count: added }),
              t('planUpdated', { count: updated }),
              t('planRemoved', { count: removed }),
            ].join(' · ')}
          </p>
        )}
      </Loaded>
      <Checkbox isSelected={isWhole} onChange={setIsWhole}>
        {t('importWhole')}
      </Checkbox>
      <Wrong problem={problem} />
      <Actions>
        <Button onPress={onClose}>{t('common:cancel')}</Button>
        <Button look="primary" isPending={pending} isDisabled={!plan.data} onPress={() => void write()}>
          {t('common:import')}
        </Button>
      </Actions>
    </Dialog>
  )
}

interface Options {
  /** Whether terms that the file lacks are removed. */
  isWhole: boolean
  dryRun?: 'true'
  ifMatch?: string
}

function sendFile(slug: string | undefined, file: File, { isWhole, ...options }: Options) {
  const isTbx = /\.(tbx|xml)$/i.test(file.name)
  // The bytes as they are: reading a text would replace what is not UTF-8.
  const body = file as unknown as string
  const given = { body, ...options, ...(!isWhole && { merge: 'true' as const }) }
  const opts = { headers: { 'content-type': isTbx ? 'application/x-tbx+xml' : 'text/csv' } }
  if (slug === undefined) return response((isTbx ? importGlossaryTbx : importGlossaryCsv)(given, opts))
  return response((isTbx ? importProjectGlossaryTbx : importProjectGlossaryCsv)({ slug, ...given }, opts))
}
