/** The last step: the lines that fetch the first translation, and links to the next pages. */
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { MintedToken } from '../api/client.ts'
import { serverAddress } from '../api/server-address.ts'
import { valuesOf, variablesOf } from '../editor/preview/variables.ts'
import { commandLine, curl, i18next, NO_TOKEN, type SnippetValues } from '../project/snippets.ts'
import { ButtonLink } from '../ui/button.tsx'
import { projectAddress } from '../ui/location.ts'
import { Notice } from '../ui/notice.tsx'
import { Section } from '../ui/page.tsx'
import { Snippet } from '../ui/snippet.tsx'
import { CreateToken } from './create-token.tsx'
import type { StartPlace } from './first-texts.tsx'
import styles from './start.module.css'
import { useFirstText } from './use-first-text.ts'

/** Lines with this server's address and these names. */
export function UseStep({ project, language, namespace, name }: StartPlace) {
  const { t } = useTranslation('signIn')
  const { slug, sourceLanguage, interpolation, defaultFormat } = project
  const { data: text = '' } = useFirstText({ slug, language, namespace, name })
  const values = valuesOf(variablesOf(text, undefined, interpolation), {}, language)
  const isFlat = defaultFormat === 'i18next-json-flat'
  return (
    <div className={styles.use}>
      <Notice
        kind="good"
        action={
          <ButtonLink look="primary" to={projectAddress(slug)}>
            {t('common:toProject')}
          </ButtonLink>
        }
      >
        {t('translated')}
      </Notice>
      <Snippets
        names={{ project: slug, source: sourceLanguage, language, namespace, key: name, values, isFlat, interpolation }}
      />
    </div>
  )
}

/** @param names what the lines are about; the tokens minted here are named after the project and reach it alone */
function Snippets({ names }: { names: Omit<SnippetValues, 'base' | 'token'> }) {
  const { t } = useTranslation('signIn')
  const [reading, setReading] = useState<MintedToken>()
  const [writing, setWriting] = useState<MintedToken>()
  const base = serverAddress()
  const reads = { ...names, base, token: reading?.key ?? NO_TOKEN }
  const writes = { ...names, base, token: writing?.key ?? NO_TOKEN }
  return (
    <>
      <Section title={t('inYourApp')}>
        <p className={styles.quiet}>{t('inYourAppWhy')}</p>
        <CreateToken scope="read" project={names.project} made={reading} onMade={setReading} />
        <Snippet label="i18next" code={i18next(reads)} />
        <Snippet label="curl" code={curl(reads)} />
      </Section>
      <Section title={t('onYourComputer')}>
        <p className={styles.quiet}>{t('onYourComputerWhy')}</p>
        <CreateToken scope="write" project={names.project} made={writing} onMade={setWriting} />
        <Snippet label={t('common:commandLine')} code={commandLine(writes)} />
      </Section>
    </>
  )
}
