import type { VNode } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'
import { Address } from '../../components/Hash.tsx'

const SHOWN = 3

export function AddressList({ addresses }: { readonly addresses: readonly string[] }): VNode {
  const [isOpen, setOpen] = useState(false)
  if (addresses.length === 0) return <span class="muted">not found yet</span>
  const shown = isOpen ? addresses : addresses.slice(0, SHOWN)
  return (
    <span class="row">
      {shown.map((address) => (
        <Address key={address} value={address} />
      ))}
      {shown.length < addresses.length && (
        <Button onClick={() => setOpen(true)}>{`${addresses.length - shown.length} more`}</Button>
      )}
    </span>
  )
}
