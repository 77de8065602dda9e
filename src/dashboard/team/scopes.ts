/** The scopes of tokens. */
import type { TFunction } from 'i18next'
import type { Token } from '../api/client.ts'

/** From the least to the most. */
export const SCOPES = ['read', 'add', 'suggest', 'write'] as const

/** The name and the purpose of a scope. @param t of any namespace */
export function scopeWords(scope: Token['scope'], t: TFunction): { label: string; note: string } {
  return {
    read: { label: t('team:scopeRead'), note: t('team:scopeReadFor') },
    add: { label: t('team:scopeAdd'), note: t('team:scopeAddFor') },
    suggest: { label: t('team:scopeSuggest'), note: t('team:scopeSuggestFor') },
    write: { label: t('team:scopeWrite'), note: t('team:scopeWriteFor') },
  }[scope]
}

/** Days after which a token expires unless its owner chooses otherwise. */
export const DEFAULT_DAYS = 365
