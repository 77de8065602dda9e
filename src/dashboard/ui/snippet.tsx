/** Something to copy. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from './announce.ts'
import { Button } from './button.tsx'
import styles from './snippet.module.css'

/** To the clipboard. @throws where the browser does not let it */
async function copyText(text: string): Promise<void> {
  // Without https, as in a company's network, only `execCommand` copies, and it needs a selection.
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const had = document.activeElement as HTMLElement | null
  const field = document.createElement('textarea')
  field.value = text
  field.className = 'hidden'
  // In a dialog, the button must be inside: the dialog traps the focus.
  ;(had?.closest('[role$=dialog]') ?? document.body).append(field)
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  had?.focus()
  if (!isCopied) throw new Error('not copied')
}

/** Copies a text and announces it. */
export function CopyButton({ text, label }: { text: string; label?: string }) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    try {
      await copyText(text)
      setCopied(true)
      announce(t('copied'))
    } catch {
      announce(t('notCopied'))
    }
  }
  return (
    <Button small icon={copied ? <Check aria-hidden /> : <Copy aria-hidden />} onPress={copy} aria-label={label}>
      {copied ? t('copied') : t('copy')}
    </Button>
  )
}

/** A block of code with a button that copies it. */
export function Snippet({ code, label }: { code: string; label: string }) {
  return (
    <figure className={styles.snippet}>
      <figcaption>
        {label}
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard (WCAG 2.1.1) */}
      <pre dir="ltr" tabIndex={0} role="region" aria-label={label}>
        <code>{code}</code>
      </pre>
    </figure>
  )
}
