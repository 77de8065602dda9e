/** Deletes a key. */
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { Message } from '../../../bundle/message.ts'
import { ApiProblem, answer, DotNameProblem } from '../../api/answer.ts'
import { deleteKeyEverywhere, getKey, getLanguage } from '../../api/client.ts'
import { languageName } from '../../i18n/languages.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { setSearch } from '../../ui/location.ts'
import { Loaded } from '../../ui/state.tsx'
import { useEditor } from '../editor-context.ts'
import { textsOf } from '../model/leaves.ts'
import type { EditorRow, KeyAddress } from '../model/rows.ts'
import { shownTexts } from '../shown-text.tsx'
import styles from './keys.module.css'
import { useChanging } from './use-changing.ts'

/** Maximum number of languages in the preview of a deletion. */
const MOST_ASKED = 30

interface Props {
  row: EditorRow
  languages: readonly string[]
  onDeleted: () => void
  onClose: () => void
}

async function messageOf({ namespace, key, ...where }: KeyAddress, signal: AbortSignal): Promise<Message | undefined> {
  try {
    return (await answer(getKey({ ...where, $namespace: namespace, key }, { signal }))).message as Message
  } catch (error) {
    // A browser cannot request a key of dots alone, so its namespace is read.
    if (!(error instanceof DotNameProblem)) throw error
    const { keys } = await answer(getLanguage({ ...where, $namespace: namespace }, { signal }))
    return keys.find(one => one.key === key)?.message as Message | undefined
  }
}

/** Deletes a key in all languages by one commit, after a preview. */
export default function DeleteKey({ row: { namespace, key }, languages, onDeleted, onClose }: Props) {
  const { t, i18n } = useTranslation('keys')
  const editor = useEditor()
  const { slug } = editor
  const change = useChanging()
  const asked = languages.slice(0, MOST_ASKED)
  const going = useQuery({
    queryKey: ['project', slug, 'key', namespace, key],
    queryFn: ({ signal }) =>
      Promise.all(
        asked.map(async language => {
          const message = await messageOf({ slug, language, namespace, key }, signal).catch(error => {
            if (error instanceof ApiProblem && error.status === 404) return undefined
            throw error
          })
          return { language, message }
        }),
      ),
    staleTime: 0,
    gcTime: 0,
  })
  const remove = async () => {
    await change(
      async () => {
        const deleted = await answer(deleteKeyEverywhere({ slug, body: { namespace, key } }))
        // The key of the address was deleted here, so it is not reported as missing.
        setSearch({ key: null, in: null })
        return deleted
      },
      ({ languages }) => t('deleted', { key, count: languages.length }),
    )
    onDeleted()
  }
  return (
    <Confirm title={t('deleteNamed', { key })} doIt={t('common:delete')} isOpen onClose={onClose} onConfirm={remove}>
      <p>{t('deleteWhat')}</p>
      <Loaded read={going} lines={Math.min(asked.length, 5)}>
        {found => (
          <ul className={styles.going}>
            {found.map(
              ({ language, message }) =>
                message !== undefined && (
                  <li key={language}>
                    <span className="quiet">
                      {languageName(language, i18n.language)} ({language})
                    </span>
                    {shownTexts(textsOf(message), language, editor)}
                  </li>
                ),
            )}
            {languages.length > asked.length && (
              <li>{t('moreLanguages', { count: languages.length - asked.length })}</li>
            )}
          </ul>
        )}
      </Loaded>
    </Confirm>
  )
}
