/** The glossaries of a project, with the terms of the organization, and of the organization itself. */
import { useQueryClient } from '@tanstack/react-query'
import { BookMarked, Plus } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams, useSearch } from 'wouter'
import type { GlossaryTerm } from '../../glossary/glossary.ts'
import { ApiProblem } from '../api/answer.ts'
import { useManifest } from '../api/queries.ts'
import { mayManage, useMember } from '../api/session.ts'
import { languageName } from '../i18n/languages.ts'
import { ProjectFrame } from '../project/project-frame.tsx'
import { TeamPage } from '../team/team-page.tsx'
import { announce } from '../ui/announce.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Actions } from '../ui/dialog.tsx'
import { TextField } from '../ui/form.tsx'
import { setSearch } from '../ui/location.ts'
import { Empty, Loaded } from '../ui/page.tsx'
import { Select } from '../ui/select.tsx'
import { changeTerm, TermConflict } from './change-term.ts'
import styles from './glossary.module.css'
import { GlossaryFiles } from './glossary-files.tsx'
import { useGlossary } from './glossary-reads.ts'
import { GlossaryTable, rowsOf } from './glossary-table.tsx'
import { TermDialog } from './term-dialog.tsx'

/** One part to load for both addresses: each more is named in the first part of the dashboard. */
export default function GlossaryPage() {
  const { slug } = useParams()
  return slug === undefined ? <OrganizationGlossary /> : <ProjectGlossary slug={slug} />
}

/** Every member edits the project's terms. Those of the organization are read-only here. */
function ProjectGlossary({ slug }: { slug: string }) {
  const { t } = useTranslation('glossary')
  const { who } = useMember()
  const manifest = useManifest(slug)
  const own = useGlossary(slug)
  const above = useGlossary(undefined)
  const link = mayManage(who) && <ButtonLink to="/team/glossary">{t('organizationGlossary')}</ButtonLink>
  return (
    <ProjectFrame slug={slug} title={t('common:glossary')} actions={link}>
      <Loaded<unknown> read={[manifest, own, above].find(({ data }) => data === undefined) ?? own}>
        {() => (
          <GlossaryView
            key={slug}
            slug={slug}
            terms={own.data!.terms}
            above={above.data!.terms}
            languages={manifest.data!.languages.filter(language => language !== manifest.data!.sourceLanguage)}
            mayEdit
          />
        )}
      </Loaded>
    </ProjectFrame>
  )
}

const NONE: readonly never[] = []

/** Owners and admins edit it; every member reads it. */
function OrganizationGlossary() {
  const { t } = useTranslation('glossary')
  // The form's field for a language has these texts.
  useTranslation('projects')
  const { who } = useMember()
  return (
    <TeamPage title={t('common:glossary')} lead={t('organizationWhy')}>
      <Loaded read={useGlossary(undefined)}>
        {({ terms }) => (
          <GlossaryView slug={undefined} terms={terms} above={NONE} languages={NONE} mayEdit={mayManage(who)} />
        )}
      </Loaded>
    </TeamPage>
  )
}

interface Props {
  /** The project; undefined for the organization's glossary. */
  slug: string | undefined
  terms: readonly GlossaryTerm[]
  /** Terms of the organization, for a project. */
  above: readonly GlossaryTerm[]
  /** Languages to translate into. */
  languages: readonly string[]
  mayEdit: boolean
}

/** All languages; no tag. */
const ALL = '*'
/** Maximum number of languages with empty fields in the form. */
const MOST_LANGUAGES = 6

/** The search, the table, and the dialogs that change it. The search and the language are part of the address. */
function GlossaryView({ slug, terms, above, languages, mayEdit }: Props) {
  const { t, i18n } = useTranslation('glossary')
  const client = useQueryClient()
  const asked = new URLSearchParams(useSearch())
  const search = asked.get('search') ?? ''
  const chosen = asked.get('language') ?? undefined
  const [edited, setEdited] = useState<GlossaryTerm | 'new'>()
  const [deleted, setDeleted] = useState<GlossaryTerm>()
  const rows = useMemo(() => rowsOf(terms, above, i18n.language), [terms, above, i18n.language])
  const wanted = useDeferredValue(search.trim().toLowerCase())
  const found = useMemo(() => rows.filter(({ text }) => text.includes(wanted)), [rows, wanted])
  const all = useMemo(() => {
    const translated = rows.flatMap(({ term: { translations = {} } }) => Object.keys(translations))
    return [...new Set([...languages, ...translated.sort()])]
  }, [languages, rows])
  const add = mayEdit && (
    <Button look="primary" icon={<Plus aria-hidden />} onPress={() => setEdited('new')}>
      {t('add')}
    </Button>
  )
  const remove = async (before: GlossaryTerm) => {
    try {
      await changeTerm(client, slug, { before })
    } catch (error) {
      // Deleted is deleted. A changed term stays until the reader has seen the change.
      if (!(error instanceof TermConflict)) throw error
      if (error.now) {
        setDeleted(error.now)
        throw new ApiProblem(412, t('changedBeforeDeletion'))
      }
    }
    announce(t('deleted', { term: before.term }))
  }
  return (
    <>
      {rows.length === 0 ? (
        <Empty
          icon={<BookMarked aria-hidden />}
          title={t('empty')}
          action={
            <Actions>
              {mayEdit && <GlossaryFiles slug={slug} mayEdit />}
              {add}
            </Actions>
          }
        >
          {t('emptyWhy')}
        </Empty>
      ) : (
        <>
          <div className={styles.tools}>
            <TextField
              type="search"
              label={t('search')}
              value={search}
              onChange={search => setSearch({ search })}
              autoComplete="off"
            />
            <Select
              label={t('common:language')}
              choices={[
                { id: ALL, label: t('allLanguages') },
                ...all.map(tag => ({ id: tag, label: languageName(tag, i18n.language), note: tag })),
              ]}
              value={chosen ?? ALL}
              onChange={language => setSearch({ language: language === ALL ? null : language })}
            />
            <div className={styles.buttons}>
              <GlossaryFiles slug={slug} mayEdit={mayEdit} />
              {add}
            </div>
          </div>
          {found.length === 0 ? (
            <Empty
              title={t('noMatch')}
              action={<Button onPress={() => setSearch({ search: null })}>{t('showAll')}</Button>}
            />
          ) : (
            <GlossaryTable
              rows={found}
              language={chosen}
              label={t('terms', { count: found.length })}
              onEdit={mayEdit ? setEdited : undefined}
              onDelete={setDeleted}
            />
          )}
          <p className="quiet" role="status">
            {t('terms', { count: found.length })}
          </p>
        </>
      )}
      {edited && (
        <TermDialog
          slug={slug}
          term={edited === 'new' ? undefined : edited}
          languages={chosen !== undefined ? [chosen] : all.slice(0, MOST_LANGUAGES)}
          onClose={() => setEdited(undefined)}
        />
      )}
      {deleted && (
        <Confirm
          title={t('deleteNamed', { term: deleted.term })}
          doIt={t('common:delete')}
          isOpen
          onClose={() => setDeleted(undefined)}
          onConfirm={() => remove(deleted)}
        >
          <p>{t(slug === undefined ? 'deleteEverywhere' : 'deleteWhy')}</p>
        </Confirm>
      )}
    </>
  )
}
