/** The heading of a row or a column in the matrix. */
import { Bot, Download, EllipsisVertical, MessageSquareMore, PenLine, Plus, Trash2, Upload } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { languageName, ownName } from '../i18n/languages.ts'
import { projectAddress } from '../ui/location.ts'
import { Menu } from '../ui/menu.tsx'
import { Trigger } from '../ui/trigger.tsx'
import styles from './matrix.module.css'
import type { MatrixPlace } from './matrix-axes.ts'

/** What the menu of a language or a namespace does. */
export type PlaceAction = 'add' | 'export' | 'translate' | 'rename' | 'remove'

interface Props {
  slug: string
  place: MatrixPlace
  sourceLanguage: string
  scope: 'row' | 'col'
  /** The languages that a machine may translate. */
  translatable: readonly string[]
  onAct: (action: PlaceAction, place: MatrixPlace) => void
}

/** A link to its texts, and its menu. The sums have neither. */
export function MatrixHead({ slug, place, sourceLanguage, scope, translatable, onAct }: Props) {
  const { t, i18n } = useTranslation('projects')
  const { language, namespace } = place
  if (language === undefined && namespace === undefined) return <th scope={scope}>{t('common:all')}</th>
  const isSource = language === sourceLanguage
  const name = namespace ?? languageName(language!, i18n.language)
  const own = namespace ?? ownName(language!)
  const others = [name !== own && name, language, isSource && t('source')].filter(Boolean)
  const act = (id: PlaceAction, label: string, icon: ReactNode) => ({
    id,
    label,
    icon,
    onAction: () => onAct(id, place),
  })
  const words = namespace ?? [own, ...others].join(' ')
  return (
    // Its name is without its menu: it is read out with each of its cells.
    <th scope={scope} aria-label={words}>
      <span className={styles.head}>
        <a href={`#${projectAddress(slug, language ?? sourceLanguage, namespace)}`} title={words}>
          {namespace === undefined ? (
            <>
              <bdi lang={language}>{own}</bdi>{' '}
              <span className="quiet">
                {name !== own && <span className={styles.translated}>{name} </span>}
                <code>{language}</code> {isSource && <span className={styles.translated}>{t('source')}</span>}
              </span>
            </>
          ) : (
            <code>{namespace}</code>
          )}
        </a>
        <Menu
          label={t('actionsOf', { name })}
          button={
            <Trigger small look="quiet" icon={<EllipsisVertical aria-hidden />} aria-label={t('actionsOf', { name })} />
          }
          rows={[
            act('add', namespace === undefined ? t('addLanguage') : t('addNamespace'), <Plus aria-hidden />),
            act('export', t('export'), <Download aria-hidden />),
            {
              id: 'import',
              label: t('import'),
              icon: <Upload aria-hidden />,
              to: `${projectAddress(slug)}/import?${new URLSearchParams({ ...place })}`,
            },
            ...(language === undefined || isSource || namespace !== undefined
              ? []
              : [
                  {
                    id: 'review',
                    label: t('review'),
                    icon: <MessageSquareMore aria-hidden />,
                    to: `${projectAddress(slug)}/review/${encodeURIComponent(language)}`,
                  },
                ]),
            ...((language === undefined ? translatable.length > 0 : translatable.includes(language))
              ? [act('translate', t('translateRest'), <Bot aria-hidden />)]
              : []),
            ...(isSource
              ? []
              : [
                  { ...act('rename', t('rename'), <PenLine aria-hidden />), apart: true },
                  { ...act('remove', t('remove'), <Trash2 aria-hidden />), danger: true },
                ]),
          ]}
        />
      </span>
    </th>
  )
}
