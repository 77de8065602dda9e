/**
 * A git directory of our own over another one's objects and refs, for one run of git.
 *
 * git runs programs that a repository's `config`, `hooks` and attributes name: `filter.*.clean`, `core.fsmonitor`,
 * `core.alternateRefsCommand`, `pre-receive`. People edit organizations' folders, and a backup folder may be another
 * user's. So git reads ours in their place, and objects and refs through links.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface IsolatedGitDir {
  /** Of the directory that git is given; also its HOME. */
  path: string
  /** What git said, with the real directory's name in place of ours. */
  named(text: string): string
  /** Called when git has ended; a second call does nothing. */
  remove(): Promise<void>
}

/** Linked even where they are missing: git creates them through the link. */
const ALWAYS = ['index', 'objects', 'packed-refs', 'refs', 'shallow']
/** Linked where they are there (gitrepository-layout(5)): they hold names and ids, and none holds a command. */
const LINKED = /^(?:logs|worktrees|sharedindex\.[0-9a-f]+|[A-Z_]+_HEAD)$/

/** With a value, a shell's command, git does not ask other repositories with borrowed objects for their refs. */
const CONFIG = '[core]\n\trepositoryFormatVersion = 0\n\tbare = true\n\talternateRefsCommand = true\n'
/** The bytes of a work tree are the bytes of its objects. */
const ATTRIBUTES = '* -text -eol -ident -filter -working-tree-encoding\n'
/** Before git 2.38 only a file sets `safe.directory`, for another user's data folder. */
const HOME_CONFIG = '[safe]\n\tdirectory = *\n'

const HEAD = /^(ref: refs\/heads\/[^\s\0]+|[0-9a-f]{40})\n?$/

/**
 * @param settings lines for its config; `head` what HEAD says, by default the real one's
 * @throws Error with `code` ENOENT where there is no such directory
 */
export async function isolate(
  gitDir: string,
  { settings = '', head }: { settings?: string; head?: string } = {},
): Promise<IsolatedGitDir> {
  const names = await readdir(gitDir)
  const path = await createHome()
  const links = new Set([...ALWAYS, ...names.filter(name => LINKED.test(name))])
  await Promise.all([
    ...Array.from(links, name => symlink(join(gitDir, name), join(path, name))),
    writeFile(join(path, 'HEAD'), head ?? (await headOf(gitDir))),
    writeFile(join(path, 'config'), CONFIG + settings),
    mkdir(join(path, 'info')).then(() => writeFile(join(path, 'info', 'attributes'), ATTRIBUTES)),
  ])
  return {
    path,
    named: text => text.replaceAll(path, gitDir),
    remove: () => rm(path, { recursive: true, force: true }),
  }
}

async function headOf(gitDir: string): Promise<string> {
  const said = await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '')
  return HEAD.test(said) ? said : 'ref: refs/heads/main\n'
}

/** A folder that is git's HOME, readable by this user alone. */
export async function createHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'parlance-git-'))
  await writeFile(join(home, '.gitconfig'), HOME_CONFIG)
  return home
}
