/** Finds a key's message in a bundle's file. Parsing the whole file would be ten times slower. */
import { FORMS, type Forms, KINDS, type Message, messageOf, peel, suffix } from './message.ts'

/**
 * The message of a key in a sound file's JSON, wherever its leaves stand; undefined without any.
 * @param resource as `parseResource` gives it
 */
export function findMessage(resource: object, key: string): Message | undefined {
  // A form's name is not the name of a key.
  if (peel(key).key !== key) return undefined
  const text = leafAt(resource, key)
  const [cardinal, ordinal] = KINDS.map(kind => {
    const forms: Forms = {}
    // After nothing there is no suffix.
    for (const form of key === '' ? [] : FORMS) {
      const value = leafAt(resource, key + suffix(kind, form))
      if (value !== undefined) forms[form] = value
    }
    return Object.keys(forms).length === 0 ? undefined : forms
  })
  return text === undefined && !cardinal && !ordinal ? undefined : messageOf({ text, cardinal, ordinal })
}

/** The text at a path, which is a place joined by dots. */
function leafAt(node: object, path: string): string | undefined {
  const value = own(node, path)
  if (typeof value === 'string') return value
  for (let dot = path.indexOf('.'); dot !== -1; dot = path.indexOf('.', dot + 1)) {
    const below = own(node, path.slice(0, dot))
    const found = typeof below === 'object' && below !== null ? leafAt(below, path.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const own = (node: object, name: string): unknown =>
  Object.hasOwn(node, name) ? (node as Record<string, unknown>)[name] : undefined
