/** The first translation. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { linesOf, partsOf } from '../../bundle/message.ts'
import { answer } from '../api/answer.ts'
import { getKey, type Message } from '../api/client.ts'
import { directionOf, languageName } from '../i18n/languages.ts'
import { Isolated } from '../ui/isolated.tsx'
import { setSearch } from '../ui/location.ts'
import { Card } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import styles from './start.module.css'
import type { StartPlace } from './start-place.ts'
import { TextForm } from './text-form.tsx'

/** The source text above, its translation below. */
export function TranslationStep({ project: { slug, sourceLanguage }, language, namespace, name }: StartPlace) {
  const { t, i18n } = useTranslation('signIn')
  const source = useQuery({
    queryKey: ['project', slug, 'first-text', name],
    queryFn: () => answer(getKey({ slug, language: sourceLanguage, $namespace: namespace, key: name })),
  })
  return (
    <Card>
      <Loaded read={source} lines={1}>
        {({ key, message }) => (
          <figure className={styles.source}>
            <figcaption>
              {t('textIn', { language: languageName(sourceLanguage, i18n.language), tag: sourceLanguage })} ·{' '}
              <code>{name}</code>
            </figcaption>
            <blockquote lang={sourceLanguage} dir={directionOf(sourceLanguage)}>
              <Isolated text={textAt(name.slice(key.length), message)} />
            </blockquote>
          </figure>
        )}
      </Loaded>
      <TextForm
        {...{ slug, language, namespace, name }}
        said={t('translationSaved')}
        onSaved={() => setSearch({ done: '1' }, { replace: false })}
      />
    </Card>
  )
}

/** The text, or the one form of a plural that was written. @param ending of the form's name; '' for the text */
const textAt = (ending: string, message: Message): string =>
  linesOf(partsOf(message)).find(([written]) => written === ending)?.[1] ?? ''
