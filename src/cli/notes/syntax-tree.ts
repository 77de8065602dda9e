/** The part of SWC's syntax tree that the plugin reads. i18next-cli converts spans to offsets in the file. */

export interface Span {
  start: number
  end: number
}

/** A node, or an object between nodes, without a type or a span. */
export interface SyntaxNode {
  type?: string
  span?: Span
  [member: string]: unknown
}

const child = (node: SyntaxNode | undefined, name: string) => node?.[name] as SyntaxNode | undefined
const children = (node: SyntaxNode | undefined, name: string) => (node?.[name] ?? []) as SyntaxNode[]

/** Where a node stands. A property of an object has no span of its own. */
export function spanOf(node: SyntaxNode): Span | undefined {
  if (node.span) return node.span
  const [first, last] = [child(node, 'key')?.span, child(node, 'value')?.span]
  return first && last ? { start: first.start, end: last.end } : undefined
}

/** Whether an offset is in one of the spans. */
export const startsIn = (spans: readonly Span[], at: number): boolean =>
  spans.some(({ start, end }) => start <= at && at < end)

/** The key of a call, or the attributes of a component. */
export const keyPlaces = (node: SyntaxNode): Span[] =>
  [child(children(node, 'arguments')[0], 'expression'), ...children(child(node, 'opening'), 'attributes')].flatMap(
    part => part?.span ?? [],
  )

/**
 * What a call says in `tDescription`, i18next's option for translators: in its options, as the third text, as an
 * attribute of `<Trans>`, or in its `tOptions`.
 */
export function descriptionOf(node: SyntaxNode): string | undefined {
  const [, ...given] = children(node, 'arguments').map(argument => unwrapped(child(argument, 'expression')))
  const attributes = children(child(node, 'opening'), 'attributes')
  const attribute = (name: string) =>
    child(
      attributes.find(one => nameOf(child(one, 'name')) === name),
      'value',
    )
  const options = [...given, child(attribute('tOptions'), 'expression')]
  const described = options.flatMap(option => children(option, 'properties').filter(isDescription))
  const texts = [given[1], attribute('tDescription'), ...described.map(property => child(property, 'value'))]
  return texts.map(textOf).find(text => text?.trim())
}

const nameOf = (node: SyntaxNode | undefined) => node?.value
const isDescription = (property: SyntaxNode) => nameOf(child(property, 'key')) === 'tDescription'

function unwrapped(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const isWrapper = /^(?:Parenthesis|TsAs|TsSatisfies|TsConst|JSXExpressionContainer)/.test(node?.type ?? '')
  return isWrapper ? unwrapped(child(node, 'expression')) : node
}

/** A text that the code says as it is: a string, a template without variables, or a sum of these. */
function textOf(node: SyntaxNode | undefined): string | undefined {
  const at = unwrapped(node)
  if (at?.type === 'StringLiteral') return at.value as string
  if (at?.type === 'TemplateLiteral' && children(at, 'expressions').length === 0)
    return children(at, 'quasis')[0]?.cooked as string
  if (at?.type !== 'BinaryExpression' || at.operator !== '+') return undefined
  const [left, right] = [textOf(child(at, 'left')), textOf(child(at, 'right'))]
  return left === undefined || right === undefined ? undefined : left + right
}
