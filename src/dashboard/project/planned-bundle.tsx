/** A bundle in the plan of a push. */
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import type { ManyPushed } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import table from '../ui/table.module.css'
import { PlannedKeys } from './planned-keys.tsx'
import styles from './project.module.css'

/** The effects of a push on keys, each counted. */
export const PARTS = ['added', 'updated', 'removed', 'skipped', 'unchanged'] as const

/** Its keys have a row of their own: in its heading they would be read out as its name. */
export function PlannedBundle({ bundle }: { bundle: ManyPushed['bundles'][number] }) {
  const { language, namespace, details = [] } = bundle
  const [isOpen, setOpen] = useState(false)
  const keys = useId()
  const name = (
    <code>
      {language}/{namespace}
    </code>
  )
  return (
    <>
      <tr>
        <th scope="row">
          {details.length === 0 ? (
            name
          ) : (
            <Button
              small
              look="quiet"
              icon={isOpen ? <ChevronDown aria-hidden /> : <ChevronRight aria-hidden className={styles.turned} />}
              aria-expanded={isOpen}
              aria-controls={isOpen ? keys : undefined}
              onPress={() => setOpen(!isOpen)}
            >
              {name}
            </Button>
          )}
        </th>
        {PARTS.map(part => (
          <td key={part} className={table.number}>
            {bundle[part] ?? 0}
          </td>
        ))}
      </tr>
      {isOpen && (
        <tr id={keys}>
          <td colSpan={1 + PARTS.length}>
            <PlannedKeys keys={details} />
          </td>
        </tr>
      )}
    </>
  )
}
