/** A text with its elements: basic HTML as it looks, other tags as chips. */
import { createElement } from 'react'
import { Isolated } from '../../ui/isolated.tsx'
import type { RichNode } from '../preview/rich-text.ts'
import styles from './text-preview.module.css'

/** Elements that are rendered as they are, without attributes. */
const BASIC: ReadonlySet<string> = new Set('b br code em i mark p s small strong sub sup u'.split(' '))

/** Never inserts HTML: elements are created by name. */
export function RenderedText({ nodes }: { nodes: readonly RichNode[] }) {
  return nodes.map(node => {
    const { from } = node
    if ('text' in node) return <Isolated key={from} text={node.text} />
    const { tag, children } = node
    const within = children.length > 0 ? <RenderedText nodes={children} /> : undefined
    if (BASIC.has(tag)) return createElement(tag, { key: from }, tag === 'br' ? undefined : within)
    return (
      <span key={from} className={styles.chip}>
        <bdi dir="ltr" className={styles.tag}>
          {tag}
        </bdi>
        {within}
      </span>
    )
  })
}
