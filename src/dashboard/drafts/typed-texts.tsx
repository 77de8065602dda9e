/** Typed texts for a missing project or organization, to copy. */
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { directionOf, languageName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { Notice } from '../ui/notice.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import type { AddressedDraft, DraftAddress, OtherDraft } from './drafts.ts'
import styles from './typed-texts.module.css'
import { type DiscardedDrafts, useDiscard, useDiscardOther } from './use-discard.ts'
import { useAllOtherDrafts, useDraftStore, useDrafts } from './use-drafts.tsx'

/** Maximum number of texts to show together; the rest follows as these are discarded. */
const MOST_SHOWN = 100

/** Nothing where there is no such text. @param isShown whether the text of an address belongs here */
export function TypedTexts({ isShown }: { isShown: (address: DraftAddress) => boolean }) {
  const { t, i18n } = useTranslation()
  const drafts = useDraftStore()
  const typed: (AddressedDraft & Partial<OtherDraft>)[] = [...useDrafts(), ...useAllOtherDrafts()].filter(
    ({ address }) => isShown(address),
  )
  const [done, setDone] = useState<DiscardedDrafts>()
  const discardOwn = useDiscard(setDone)
  const discardOther = useDiscardOther(setDone)
  const discard = (draft: AddressedDraft & Partial<OtherDraft>) => {
    if (draft.tab === undefined) return discardOwn([draft])
    const other = draft as OtherDraft
    discardOther(
      () => drafts?.discardOther(other),
      () => drafts?.restoreOther(other),
    )
  }
  if (typed.length === 0 && !done) return null
  const more = typed.length - MOST_SHOWN
  return (
    <section className={styles.texts}>
      {typed.length > 0 && (
        <>
          <h2>{t('typedTexts')}</h2>
          <p className="quiet">{t('typedTextsWhy')}</p>
          <ul>
            {typed.slice(0, MOST_SHOWN).map(draft => {
              const { project, language, namespace, key, form } = draft.address
              return (
                <li key={JSON.stringify([draft.address, draft.tab])}>
                  <span className="quiet">
                    {project} · {languageName(language, i18n.language)} · {namespace} ·{' '}
                    <code>{form === undefined ? key : `${key}_${form}`}</code>
                  </span>
                  <q lang={language} dir={directionOf(language)} translate="no">
                    <Isolated text={draft.text} />
                  </q>
                  <span className={styles.actions}>
                    <CopyButton text={draft.text} label={t('copyOf', { key })} />
                    {/* That of an open tab belongs to it. */}
                    {(draft.tab === undefined || draft.isClosed) && (
                      <Button small look="quiet" onPress={() => discard(draft)} aria-label={t('discardOf', { key })}>
                        {t('discard')}
                      </Button>
                    )}
                  </span>
                </li>
              )
            })}
          </ul>
          {more > 0 && <p className="quiet">{t('typedTextsMore', { count: more })}</p>}
        </>
      )}
      {done && (
        <Notice
          kind="good"
          action={
            <Button small icon={<Undo2 aria-hidden />} onPress={done.undo}>
              {t('undo')}
            </Button>
          }
        >
          {done.sentence}
        </Notice>
      )}
    </section>
  )
}
