/** The editor once its languages are read. */
import { useTranslation } from 'react-i18next'
import { useSearch } from 'wouter'
import type { CheckSettings } from '../../bundle/checks/check-settings.ts'
import type { Interpolation } from '../../bundle/placeholders.ts'
import { useProjectName } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { useTitle } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import styles from './editor.module.css'
import { Editor } from './editor.tsx'
import { useRows } from './read.ts'

interface Props {
  slug: string
  language: string
  namespace: string | undefined
  source: string
  /** Of the project, where it has its own. */
  interpolation: Interpolation | undefined
  checks: CheckSettings | undefined
  languages: readonly string[]
  namespaces: readonly string[]
}

/** Lines in its place until then. */
export function Languages({ slug, language, namespace, source, interpolation, checks, languages, namespaces }: Props) {
  // All texts of the editor's interface, in one request: a later one would show an empty place first.
  const { i18n } = useTranslation(['editor', 'keys'])
  const beside = (new URLSearchParams(useSearch()).get('with') ?? '').split(',')
  const targets = [language, ...languages.filter(one => one !== language && beside.includes(one))]
  const columns = { source, targets, interpolation, checks }
  const rows = useRows(slug, columns, namespace)
  const project = useProjectName(slug)
  useTitle(`${languageName(language, i18n.language)} · ${project.name}`)
  // With its name: a name that loads later would move its neighbours.
  if (rows.data === undefined || project.isPending) {
    return (
      <div className={styles.waiting}>
        <Loaded read={{ ...rows, data: undefined }} lines={12}>
          {() => null}
        </Loaded>
      </div>
    )
  }
  return (
    <Editor
      slug={slug}
      name={project.name}
      source={source}
      interpolation={interpolation}
      checks={checks}
      targets={targets.join(',')}
      namespace={namespace}
      languages={languages}
      namespaces={namespaces}
      rows={rows.data}
      sourceKeys={rows.source}
    />
  )
}
