/** The editor of a language: all of its keys, or those of a namespace. */
import { lazy, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import { checkLanguage } from '../../bundle/names.ts'
import type { Manifest } from '../api/client.ts'
import { isNotFound, useManifest, useProjectName } from '../api/queries.ts'
import { languageName } from '../i18n/languages.ts'
import { DropAnywhere, ProjectTabs } from '../project/project-tabs.tsx'
import { InterpolationContext } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Loaded, Page, useTitle } from '../ui/page.tsx'
import styles from './editor.module.css'
import { Editor } from './editor.tsx'
import { useRows } from './read.ts'

// The first visit of an existing key needs neither.
const NoProject = lazy(async () => ({ default: (await import('../project/project-frame.tsx')).NoProject }))
const MissingPlace = lazy(() => import('./missing.tsx'))

type AddressParts = { slug: string; language: string; namespace?: string }

/** Of the address `/projects/:slug/:language/:namespace?`; `with` names languages beside it. */
export default function EditorPage() {
  const place = useParams<AddressParts>()
  const { slug, language, namespace } = place
  const manifest = useManifest(slug)
  if (isNotFound(manifest.error) || manifest.data === undefined) {
    return (
      <Page title={slug}>
        {isNotFound(manifest.error) ? <NoProject slug={slug} /> : <Loaded read={manifest}>{() => null}</Loaded>}
      </Page>
    )
  }
  const { languages, namespaces, interpolation } = manifest.data
  const isNewLanguage = !languages.includes(language)
  const hasNamespace = namespace === undefined || namespaces.includes(namespace)
  const editor = (
    <InterpolationContext value={interpolation}>
      <DropAnywhere slug={slug} place={{ language, ...(namespace !== undefined && { namespace }) }} />
      <div className={styles.page}>
        <ProjectTabs slug={slug} isEditor />
        <LoadedEditor key={`${slug} ${language} ${namespace}`} {...place} manifest={manifest.data} />
      </div>
    </InterpolationContext>
  )
  if (!isNewLanguage && hasNamespace) return editor
  const missing = isNewLanguage
    ? ({ part: 'language', name: language, others: languages } as const)
    : ({ part: 'namespace', name: namespace!, others: namespaces } as const)
  const addressOf = (name: string) => {
    const [, query] = location.hash.split('?', 2)
    const there = { ...place, [missing.part]: name }
    return projectAddress(slug, there.language, there.namespace) + (query === undefined ? '' : `?${query}`)
  }
  return (
    <MissingPlace key={`${slug} ${missing.part} ${missing.name}`} slug={slug} {...missing} addressOf={addressOf}>
      {isNewLanguage && hasNamespace && isTag(language) ? editor : undefined}
    </MissingPlace>
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

/** Lines in the place of the editor until its languages are read. */
function LoadedEditor({ slug, language, namespace, manifest }: AddressParts & { manifest: Manifest }) {
  // All texts of the editor's interface, in one request: a later one would show an empty place first.
  const { i18n } = useTranslation(['editor', 'keys'])
  const { sourceLanguage: source, interpolation, checks, namespaces } = manifest
  const languages = useMemo(() => [...new Set([...manifest.languages, language])], [manifest.languages, language])
  const beside = (new URLSearchParams(useSearch()).get('with') ?? '').split(',')
  const targets = [language, ...languages.filter(one => one !== language && beside.includes(one))].join(',')
  const columns = useMemo(
    () => ({ source, targets: targets.split(','), interpolation, checks }),
    [source, targets, interpolation, checks],
  )
  const rows = useRows(slug, columns, namespace)
  const { name, isPending } = useProjectName(slug)
  const place = useMemo(
    () => ({ slug, name, languages, namespaces, namespace, columns }),
    [slug, name, languages, namespaces, namespace, columns],
  )
  useTitle(`${languageName(language, i18n.language)} · ${name}`)
  // With its name: a name that loads later would move its neighbours.
  if (rows.data && !isPending) return <Editor place={place} rows={rows.data} sourceKeys={rows.source} />
  return (
    <div className={styles.waiting}>
      <Loaded read={{ ...rows, data: undefined }} lines={12}>
        {() => null}
      </Loaded>
    </div>
  )
}
