/** What a run would do, in words. */
import { useTranslation } from 'react-i18next'
import type { TranslationPlan } from '../api/late-client.ts'
import { languageName } from '../i18n/languages.ts'
import { costWords, listed } from './cost-words.ts'

/** One sentence, and what is left out with its reasons. */
export function PlanWords({ plan }: { plan: TranslationPlan }) {
  const { t, i18n } = useTranslation('machine')
  const { texts, fromMemory, estimate, unit, skipped, characters } = plan
  const inCharacters = (count: number) => t('characters', { count })
  const skips = skipped.reduce((sum, { count }) => sum + count, 0)
  const cost =
    estimate === null || unit === 'characters'
      ? inCharacters(characters)
      : t('about', { cost: costWords(estimate, unit, i18n.language, inCharacters) })
  const phrases = [
    t('texts', { count: texts }),
    ...(fromMemory > 0 ? [t('fromMemory', { count: fromMemory })] : []),
    ...(texts > fromMemory ? [cost] : []),
    ...(skips > 0 ? [t('skipped', { count: skips })] : []),
  ]
  return (
    <div className="stack">
      <p>{texts === 0 && skips === 0 ? t('nothingToDo') : listed(phrases, i18n.language)}</p>
      {skips > 0 && (
        <ul>
          {skipped.map(({ code, count, language = '' }) => (
            <li key={`${code} ${language}`}>
              {new Intl.NumberFormat(i18n.language).format(count)}:{' '}
              {t(`skip.${code}`, { language: language && languageName(language, i18n.language) })}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
