import type { VNode } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { announce, notify } from '../state/announcer.ts'
import { Icon } from './Icon.tsx'

interface Props {
  readonly text: string
  /** Name of the copied text: `address`. */
  readonly label: string
  /** Shown beside the icon; default: the icon only */
  readonly children?: string
}

const SHOWN_MS = 1500

export function CopyButton({ text, label, children }: Props): VNode {
  const [copied, setCopied] = useState<string>()
  useEffect(() => {
    if (copied === undefined) return
    const timer = setTimeout(() => setCopied(undefined), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (): Promise<void> => {
    if (!(await copyText(text))) return notify('The browser does not allow this page to copy.', true)
    setCopied(text)
    announce(`Copied ${label}`)
  }
  const name = `Copy ${label}`
  return (
    <button
      type="button"
      class={children ? 'button' : 'copy'}
      aria-label={children ? undefined : name}
      title={name}
      onClick={copy}
    >
      <Icon name={copied === text ? 'done' : 'copy'} />
      {children}
    </button>
  )
}

/** @returns false when the browser refuses, as on pages without a secure context */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** For plain HTTP on another host than loopback, where `navigator.clipboard` does not exist. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'visually-hidden'
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  return isCopied
}
