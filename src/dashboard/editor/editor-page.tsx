/** The editor of a language: all of its keys, or those of a namespace. */
import { useTranslation } from 'react-i18next'
import { useParams } from 'wouter'
import { checkLanguage } from '../../bundle/names.ts'
import { isNotFound, useManifest } from '../api/queries.ts'
import { useMember } from '../api/session.ts'
import type { DraftAddress } from '../drafts/drafts.ts'
import { TypedTexts } from '../drafts/typed-texts.tsx'
import { NoProject } from '../project/no-project.tsx'
import { ButtonLink } from '../ui/button.tsx'
import { InterpolationContext } from '../ui/isolated.tsx'
import { projectAddress } from '../ui/location.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Loaded } from '../ui/state.tsx'
import { Languages } from './languages.tsx'

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
  if (!languages.includes(language) && !isTag(language))
    return <Nowhere slug={slug} what={language} at={{ language }} />
  if (namespace !== undefined && !namespaces.includes(namespace))
    return <Nowhere slug={slug} what={namespace} at={{ namespace }} />
  return (
    <InterpolationContext value={interpolation}>
      <Languages
        key={`${slug} ${language} ${namespace}`}
        slug={slug}
        language={language}
        namespace={namespace}
        source={sourceLanguage}
        interpolation={interpolation}
        checks={checks}
        languages={languages.includes(language) ? languages : [...languages, language]}
        namespaces={namespaces}
      />
    </InterpolationContext>
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

/** Includes unsaved texts of a deleted namespace or language. */
function Nowhere({ slug, what, at }: { slug: string; what: string; at: Partial<DraftAddress> }) {
  const { t } = useTranslation('editor')
  const here = { organization: useMember().who.organization.id, project: slug, ...at }
  const isHere = (address: DraftAddress) =>
    Object.entries(here).every(([name, value]) => address[name as keyof DraftAddress] === value)
  return (
    <Page title={what}>
      <Empty
        title={t('notInProject', { what })}
        action={<ButtonLink to={projectAddress(slug)}>{t('common:toProject')}</ButtonLink>}
      />
      <TypedTexts isShown={isHere} />
    </Page>
  )
}
