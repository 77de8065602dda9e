/** The editor of a language: all of its keys, or those of a namespace. */
import { lazy } from 'react'
import { useParams } from 'wouter'
import { checkLanguage } from '../../bundle/names.ts'
import { isNotFound, useManifest } from '../api/queries.ts'
import { DropAnywhere } from '../project/drop-anywhere.tsx'
import { ProjectTabs } from '../project/project-tabs.tsx'
import { InterpolationContext } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Loaded } from '../ui/state.tsx'
import styles from './editor-page.module.css'
import { Languages } from './languages.tsx'

// The first visit of an existing key needs neither.
const NoProject = lazy(async () => ({ default: (await import('../project/no-project.tsx')).NoProject }))
const Nowhere = lazy(() => import('./nowhere.tsx'))

/** Of the address `/projects/:slug/:language/:namespace?`; `with` names languages beside it. */
export default function EditorPage() {
  const { slug = '', language = '', namespace } = useParams<{ slug: string; language: string; namespace?: string }>()
  const manifest = useManifest(slug)
  const isGone = isNotFound(manifest.error)
  if (isGone || manifest.data === undefined) {
    return (
      <Page title={slug}>{isGone ? <NoProject slug={slug} /> : <Loaded read={manifest}>{() => null}</Loaded>}</Page>
    )
  }
  const { languages, namespaces, sourceLanguage, interpolation, checks } = manifest.data
  const isNewLanguage = !languages.includes(language)
  const hasNamespace = namespace === undefined || namespaces.includes(namespace)
  const editor = (
    <InterpolationContext value={interpolation}>
      <DropAnywhere slug={slug} place={{ language, ...(namespace !== undefined && { namespace }) }} />
      <div className={styles.page}>
        <ProjectTabs slug={slug} isEditor />
        <Languages
          key={`${slug} ${language} ${namespace}`}
          slug={slug}
          language={language}
          namespace={namespace}
          source={sourceLanguage}
          interpolation={interpolation}
          checks={checks}
          languages={isNewLanguage ? [...languages, language] : languages}
          namespaces={namespaces}
        />
      </div>
    </InterpolationContext>
  )
  if (!isNewLanguage && hasNamespace) return editor
  const missing = isNewLanguage
    ? ({ part: 'language', name: language, others: languages } as const)
    : ({ part: 'namespace', name: namespace!, others: namespaces } as const)
  const addressOf = (name: string) => {
    const [, query] = location.hash.split('?', 2)
    const there = { language, namespace, [missing.part]: name }
    return projectAddress(slug, there.language, there.namespace) + (query === undefined ? '' : `?${query}`)
  }
  return (
    <Nowhere key={`${slug} ${missing.part} ${missing.name}`} slug={slug} {...missing} addressOf={addressOf}>
      {isNewLanguage && hasNamespace && isTag(language) ? editor : undefined}
    </Nowhere>
  )
}

/** The first text of a new language creates the language. */
function isTag(language: string): boolean {
  try {
    return checkLanguage(language) === language
  } catch {
    return false
  }
}
