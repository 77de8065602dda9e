/** A language in the matrix. */
import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { LanguageStatus } from '../api/client.ts'
import { languageName, ownName } from '../i18n/languages.ts'
import { Button } from '../ui/button.tsx'
import { projectAddress } from '../ui/location.ts'
import { MatrixCell } from './matrix-cell.tsx'
import styles from './project.module.css'

interface RowProps {
  slug: string
  row: LanguageStatus
  namespaces: readonly string[]
  source: boolean
  onRemove: () => void
}

/** The whole language, and each of its namespaces. */
export function MatrixRow({ slug, row, namespaces, source, onRemove }: RowProps) {
  const { t, i18n } = useTranslation('projects')
  const { language } = row
  const [own, name] = [ownName(language), languageName(language, i18n.language)]
  return (
    <tr>
      <th scope="row">
        <a className={styles.language} href={`#${projectAddress(slug, language)}`}>
          <bdi lang={language}>{own}</bdi>
          <span className="quiet">
            {own !== name && `${name} `}
            <code>{language}</code> {source && t('source')}
          </span>
        </a>
      </th>
      <td>
        <MatrixCell counts={row} label={name} to={projectAddress(slug, language)} source={source} wide />
      </td>
      {namespaces.map(namespace => {
        const counts = row.namespaces.find(cell => cell.namespace === namespace)
        return (
          <td key={namespace}>
            {counts && (
              <MatrixCell
                counts={counts}
                label={`${name}, ${namespace}`}
                to={projectAddress(slug, language, namespace)}
                source={source}
              />
            )}
          </td>
        )
      })}
      {/* Not in the heading of the row, which is read out with each of its cells. */}
      <td className={styles.removal}>
        {!source && (
          <Button
            small
            look="quiet"
            icon={<Trash2 aria-hidden />}
            aria-label={t('removeLanguageNamed', { language: name, tag: language })}
            onPress={onRemove}
          />
        )}
      </td>
    </tr>
  )
}
