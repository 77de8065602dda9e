/** Roles, and rights by language as the team's pages show them: a list of languages, and one level in all of them. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isLanguage } from '../../bundle/names.ts'
import type { LanguageRight } from '../api/client.ts'
import { ROLES, roleName } from '../api/rights.ts'
import { useMember } from '../api/session.ts'
import { TextField } from '../ui/form.tsx'
import { isolated } from '../ui/isolated.tsx'
import { Select } from '../ui/select.tsx'

/** The roles that the reader may give to others. */
export function useRoleChoices() {
  const { t } = useTranslation('team')
  const isOwner = useMember().who.role === 'owner'
  const notes = { owner: t('ownerMay'), admin: t('adminMay'), member: t('memberMay') }
  return ROLES.filter(id => isOwner || id !== 'owner').map(id => ({ id, label: roleName(id, t), note: notes[id] }))
}

/** The levels to choose from, the weakest first. Only the API sets `read`. */
const CHOSEN_LEVELS = ['suggest', 'translate', 'review'] as const

/** Languages without any stand for all languages. */
interface ListedRight {
  languages: readonly string[]
  may: (typeof CHOSEN_LEVELS)[number]
}

/** The right that null stands for: it narrows nothing. */
const ALL: ListedRight = { languages: [], may: 'review' }

/** The rights of the API as a list. Undefined for rights that only the API sets: to read, in some projects, mixed. */
export function listedRight(rights: readonly LanguageRight[] | null): ListedRight | undefined {
  if (rights === null) return ALL
  const [right, ...others] = rights
  if (right === undefined || others.length > 0 || right.projects !== undefined || right.may === 'read') return undefined
  return { languages: right.languages.includes('*') ? [] : right.languages, may: right.may }
}

/** @returns rights in a few words */
export function useRightsWords() {
  const { t, i18n } = useTranslation('team')
  return (rights: readonly LanguageRight[] | null): string => {
    if (rights === null) return t('allLanguages')
    const listed = listedRight(rights)
    if (listed === undefined) return t('otherRights')
    const languages = new Intl.ListFormat(i18n.language, { type: 'unit' }).format(listed.languages.map(isolated))
    return t('languagesAs', { languages: languages || t('allLanguages'), may: t(`may.${listed.may}`) })
  }
}

type RightsInput = ReturnType<typeof useRightsInput>

/** The state of {@link RightsFields}. @param stored the rights to begin with */
export function useRightsInput(stored = ALL) {
  const { t } = useTranslation('team')
  const isAll = stored.languages.length === 0 && stored.may === 'review'
  const [languages, setLanguages] = useState(stored.languages.join(', '))
  const [chosen, setLevel] = useState(isAll ? undefined : stored.may)
  const tags = [...new Set(languages.split(/[,;\s]+/).filter(Boolean))]
  // Until the user chooses a level: all of a role without languages, translations with some.
  const may = chosen ?? (tags.length === 0 ? 'review' : 'translate')
  const wrong = tags.find(tag => !isLanguage(tag))
  const rights: LanguageRight[] = [{ languages: tags.length === 0 ? ['*'] : tags, may }]
  return {
    languages,
    setLanguages,
    may,
    setLevel,
    reset() {
      setLanguages('')
      setLevel(undefined)
    },
    /** Null to review all languages, which narrows nothing. */
    rights: tags.length === 0 && may === 'review' ? null : rights,
    /** Why the languages are none; '' for right ones. */
    fault: wrong === undefined ? '' : t('noTag', { tag: wrong }),
  }
}

/** Beside each other, or one below the other: the parent decides. */
export function RightsFields({ input, error, autoFocus }: { input: RightsInput; error: string; autoFocus?: boolean }) {
  const { t } = useTranslation('team')
  return (
    <>
      <TextField
        label={t('languages')}
        hint={t('languagesHint')}
        code
        autoComplete="off"
        autoFocus={autoFocus}
        value={input.languages}
        onChange={input.setLanguages}
        error={error}
      />
      <Select
        label={t('may.label')}
        choices={CHOSEN_LEVELS.map(id => ({ id, label: t(`may.${id}`), note: t(`may.${id}Note`) }))}
        value={input.may}
        onChange={input.setLevel}
      />
    </>
  )
}
