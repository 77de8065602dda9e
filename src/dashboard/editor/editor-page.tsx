/** The editor of a language: all of its keys, or those of a namespace. */
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { checkLanguage } from '../../bundle/names.ts'
import { isUnknown, useManifest, useProjectName } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { NoProject } from '../project/no-project.tsx'
import { projectAddress } from '../shell/location.ts'
import { ButtonLink } from '../ui/button.tsx'
import { Page, useTitle } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import styles from './editor.module.css'
import { Editor } from './editor.tsx'
import { useRows } from './read.ts'

/** Of the address `/projects/:slug/:language/:namespace?`; `with` names languages beside it. */
export default function EditorPage() {
  const { slug = '', language = '', namespace } = useParams<{ slug: string; language: string; namespace?: string }>()
  const manifest = useManifest(slug)
  const isGone = isUnknown(manifest.error)
  if (isGone || manifest.data === undefined) {
    return (
      <Page title={slug}>{isGone ? <NoProject slug={slug} /> : <Loaded read={manifest}>{() => null}</Loaded>}</Page>
    )
  }
  const { languages, namespaces, sourceLanguage } = manifest.data
  if (!languages.includes(language) && !isTag(language)) return <Nowhere slug={slug} what={language} />
  if (namespace !== undefined && !namespaces.includes(namespace)) return <Nowhere slug={slug} what={namespace} />
  return (
    <Languages
      key={`${slug} ${language} ${namespace}`}
      slug={slug}
      language={language}
      namespace={namespace}
      source={sourceLanguage}
      languages={languages.includes(language) ? languages : [...languages, language]}
      namespaces={namespaces}
    />
  )
}

/** A language that the project does not have yet comes with its first text. */
function isTag(language: string): boolean {
  try {
    return checkLanguage(language) === language
  } catch {
    return false
  }
}

interface Props {
  slug: string
  language: string
  namespace: string | undefined
  source: string
  languages: readonly string[]
  namespaces: readonly string[]
}

function Languages({ slug, language, namespace, source, languages, namespaces }: Props) {
  // All that the editor says, at once: each that is asked for later would show nothing until it is there.
  const { i18n } = useTranslation(['editor', 'keys'])
  const beside = (new URLSearchParams(useSearch()).get('with') ?? '').split(',')
  const targets = [language, ...languages.filter(one => one !== language && beside.includes(one))]
  const columns = { source, targets }
  const rows = useRows(slug, columns, namespace)
  const project = useProjectName(slug)
  useTitle(`${languageName(language, i18n.language)} · ${project.name}`)
  // With its name, which would move what stands beside it if it came later.
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
      targets={targets.join(',')}
      namespace={namespace}
      languages={languages}
      namespaces={namespaces}
      rows={rows.data}
      sourceKeys={rows.source}
    />
  )
}

function Nowhere({ slug, what }: { slug: string; what: string }) {
  const { t } = useTranslation('editor')
  return (
    <Page title={what}>
      <Empty
        title={t('notInProject', { what })}
        action={<ButtonLink to={projectAddress(slug)}>{t('common:toProject')}</ButtonLink>}
      />
    </Page>
  )
}
