/** Discarding of unsaved texts, with a way back, and the texts of a missing project or organization, to copy. */
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { directionOf, languageName } from '../i18n/languages.ts'
import { announce } from '../ui/announce.ts'
import { Button } from '../ui/button.tsx'
import { Isolated } from '../ui/isolated.tsx'
import { Notice } from '../ui/notice.tsx'
import { CopyButton } from '../ui/snippet.tsx'
import type { AddressedDraft, Draft, DraftAddress, OtherDraft } from './drafts.ts'
import styles from './typed-texts.module.css'
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
  const discard = (draft: AddressedDraft | OtherDraft) => {
    if (!('tab' in draft)) return discardOwn([draft])
    discardOther(
      () => drafts?.discardOther(draft),
      () => drafts?.restoreOther(draft),
    )
  }
  if (typed.length === 0 && !done) return null
  const more = typed.length - MOST_SHOWN
  return (
    <section className={`stack3 ${styles.texts}`}>
      {typed.length > 0 && (
        <>
          <h2>{t('typedTexts')}</h2>
          <p className="quiet">{t('typedTextsWhy')}</p>
          <ul className="stack3">
            {typed.slice(0, MOST_SHOWN).map(draft => {
              const { project, language, namespace, key, form } = draft.address
              return (
                <li className="stack1" key={JSON.stringify([draft.address, draft.tab])}>
                  <span className="quiet">
                    {project} · {languageName(language, i18n.language)} · {namespace} ·{' '}
                    <code>{form === undefined ? key : `${key}_${form}`}</code>
                  </span>
                  <q lang={language} dir={directionOf(language)} translate="no">
                    <Isolated text={draft.text} />
                  </q>
                  <span className="row2">
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

export interface DiscardedDrafts {
  sentence: string
  /** Undoes it. The undo can be undone too. */
  undo: () => void
}

/** @param show shows the result @returns discards drafts of this tab */
export function useDiscard(show: (done: DiscardedDrafts) => void): (texts: readonly AddressedDraft[]) => void {
  const { t } = useTranslation()
  const drafts = useDraftStore()
  const swap = (
    texts: readonly { address: DraftAddress; draft: Draft | undefined }[],
    sentence: string,
    other: string,
  ) => {
    // Includes text that was typed there meanwhile.
    const were = texts.map(({ address }) => ({ address, draft: drafts?.get(address) }))
    for (const { address, draft } of texts) {
      if (draft) drafts?.set(address, draft)
      else drafts?.discard(address)
    }
    announce(sentence)
    show({ sentence, undo: () => swap(were, other, sentence) })
  }
  return texts => {
    if (texts.length === 0) return
    const count = texts.length
    const removed = texts.map(({ address }) => ({ address, draft: undefined }))
    swap(removed, t('discarded', { count }), t('broughtBack', { count }))
  }
}

/** @param show shows the result @returns discards one thing that another store has, and announces it */
export function useDiscardOther(
  show: (done: DiscardedDrafts | undefined) => void,
): (discard: () => void, restore: () => void) => void {
  const { t } = useTranslation()
  return (discard, restore) => {
    const sentence = t('discarded', { count: 1 })
    discard()
    announce(sentence)
    const undo = () => {
      restore()
      announce(t('broughtBack', { count: 1 }))
      show(undefined)
    }
    show({ sentence, undo })
  }
}
