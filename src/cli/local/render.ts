/**
 * Writes texts into locale files. Unchanged parts retain their bytes, new keys follow the project's order, and removed
 * keys leave no trace.
 */
import { placeByName } from '../../bundle/place.ts'
import { Problem } from '../problem.ts'
import { type FileStyle, LocaleDocument } from './document.ts'
import { FileDraft, type Place, type WantedText } from './draft.ts'
import type { Branch } from './json-source.ts'
import type { Resource } from './local-bundle.ts'
import type { Change, FileContent, LocalProject } from './types.ts'

type Rules = Pick<LocalProject, 'sort' | 'indentation' | 'layout' | 'keySeparator'>

/**
 * The new content of files with other texts than wanted. A file with equal texts in another order is left out. The
 * namespaces of a merged file share one content.
 */
export function render(changes: readonly Change[], rules: Rules): FileContent[] {
  const byPath = Map.groupBy(changes, ({ file }) => file.path)
  return Array.from(byPath, ([path, of]) => renderFile(path, of, rules)).filter(content => content !== undefined)
}

function renderFile(path: string, changes: Change[], rules: Rules): FileContent | undefined {
  const present = changes.find(({ local }) => local)?.local?.document
  const document = present ?? new LocaleDocument(path, Buffer.from('{}\n'))
  const style = present ? document.style : newStyle(rules)
  const isMerged = rules.layout === 'merged'
  const draft = new FileDraft(document, style, rules.sort, isMerged ? 1 : 0)
  let changed = false
  for (const { file, local, wanted } of changes) {
    const place = placing(local?.branch, wanted, rules)
    const differs = draft.apply(isMerged ? [file.namespace] : [], placesOf(wanted), place)
    if (differs === undefined) {
      throw new Problem('A text of the server has no place beside keys that are left out.', {
        file: path,
        hint: 'Leave out the keys of the server too, or none of them.',
      })
    }
    changed ||= differs
  }
  return changed ? { path, bytes: draft.bytes() } : undefined
}

function newStyle({ indentation }: Rules): FileStyle {
  const unit = typeof indentation === 'number' ? ' '.repeat(indentation) : indentation
  return { indentation: unit, newline: '\n', colon: unit === '' ? ':' : ': ' }
}

/** The texts of a resource by their places joined with dots, in its order. */
function placesOf(resource: Resource): Map<string, WantedText> {
  const texts = new Map<string, WantedText>()
  const walk = (value: object, prefix: string, above: Place) => {
    const list = Array.isArray(value)
    for (const [name, below] of Object.entries(value)) {
      const place = [...above, list ? Number(name) : name]
      if (typeof below === 'string') texts.set(prefix + name, { text: below, place })
      else if (below !== null && typeof below === 'object') walk(below, `${prefix}${name}.`, place)
    }
  }
  walk(resource, '', [])
  return texts
}

/**
 * Decides on the place of a new key: nested or with dots in the name, as the file has its keys. A file without either
 * follows the project, or the server if that nests.
 */
function placing(branch: Branch | undefined, wanted: Resource, rules: Rules) {
  const members = branch?.members ?? []
  const nests = members.some(({ value }) => 'members' in value && value.members.length > 0)
  const dotted = members.some(({ name }) => placeByName(name).length > 1)
  const flat = nests ? false : dotted || rules.keySeparator === false
  if (flat) return (key: string) => [key]
  const wantedNests = Object.values(wanted).some(value => typeof value === 'object')
  return (key: string, place: Place) => (wantedNests ? place : rules.keySeparator === '.' ? placeByName(key) : [key])
}
