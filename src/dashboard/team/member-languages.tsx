/** The languages of a member, the level in them, and the dialog that changes both. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer } from '../api/answer.ts'
import type { MemberWithUser } from '../api/client.ts'
import { setMemberRights } from '../api/late-client.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, SubmitActions } from '../ui/dialog.tsx'
import { Form, Wrong } from '../ui/form.tsx'
import { useSubmission } from '../ui/use-submission.ts'
import { type ListedRight, listedRight } from './listed-right.ts'
import { changeEntry, MEMBERS } from './queries.ts'
import { RightsFields, useRightsInput } from './rights-fields.tsx'
import { useLanguageWords } from './use-language-words.ts'

/** Of a plain member: nothing narrows the others. */
export function MemberLanguages({ member, mayChange }: { member: MemberWithUser; mayChange: boolean }) {
  const { t } = useTranslation('team')
  const { wordsOf } = useLanguageWords()
  const [isOpen, setOpen] = useState(false)
  const listed = listedRight(member.rights)
  const shown = wordsOf(member.rights)
  if (!mayChange || listed === undefined) return <span>{shown}</span>
  const { name } = member.user
  return (
    <>
      <Button small aria-label={t('languagesOf', { name, languages: shown })} onPress={() => setOpen(true)}>
        {shown}
      </Button>
      {isOpen && (
        <Dialog title={t('changeLanguages', { name })} isOpen onClose={() => setOpen(false)}>
          <LanguagesForm member={member} listed={listed} onClose={() => setOpen(false)} />
        </Dialog>
      )}
    </>
  )
}

interface FormProps {
  member: MemberWithUser
  listed: ListedRight
  onClose: () => void
}

function LanguagesForm({ member, listed, onClose }: FormProps) {
  const { t } = useTranslation('team')
  const { wordsOf } = useLanguageWords()
  const client = useQueryClient()
  const input = useRightsInput(listed)
  const { pending, problem, faults, send } = useSubmission({ faults: { languages: input.fault } })
  const save = () =>
    send(async () => {
      const { rights } = input
      const changing = answer(setMemberRights({ id: member.id, newRights: { rights } }))
      const isThere = await changeEntry(client, MEMBERS, member.id, changing)
      onClose()
      const { name } = member.user
      return isThere ? t('languagesNow', { name, languages: wordsOf(rights) }) : t('removed', { name })
    })
  return (
    <Form onSubmit={save}>
      <Wrong problem={problem} />
      <RightsFields input={input} error={faults.languages} autoFocus />
      <SubmitActions isPending={pending} onCancel={onClose}>
        {t('common:save')}
      </SubmitActions>
    </Form>
  )
}
