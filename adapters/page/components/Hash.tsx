import type { VNode } from 'preact'
import { plainText } from '../../../src/abi/plainText.ts'
import { checksummed, isHash, shortened } from '../format/hex.ts'
import { CopyButton } from './CopyButton.tsx'
import { Pattern } from './Pattern.tsx'

const MAX_NAME = 80
/** Beside a name. */
const FEW_DIGITS = 4
/** Characters of a tooltip. */
const MAX_TITLE = 1000

interface HashProps {
  /** 32 bytes */
  readonly value: string
  /** Decides where the link leads. `data`: no link */
  readonly kind?: 'transaction' | 'block' | 'data'
  /** Shows all digits where there is room. */
  readonly isFull?: boolean
}

const PATHS = { transaction: '/tx/', block: '/block/', data: undefined } as const

export function Hash({ value, kind = 'data', isFull = false }: HashProps): VNode {
  const path = PATHS[kind]
  return (
    <span class="hash">
      {isHash(value) && kind !== 'data' && <Pattern hex={value} />}
      <Digits hex={value} isFull={isFull} href={path === undefined ? undefined : `#${path}${value}`} />
      <CopyButton text={value} label={kind === 'data' ? 'value' : `${kind} hash`} />
    </span>
  )
}

interface AddressProps {
  readonly value: string
  /** From the node: `Vault`. The address stays in sight, because a name proves nothing. */
  readonly name?: string | null | undefined
  readonly isFull?: boolean
  readonly isLinked?: boolean
}

export function Address({ value, name, isFull = false, isLinked = true }: AddressProps): VNode {
  const address = checksummed(value)
  return (
    <span class="hash">
      <Pattern hex={value} />
      {name && (
        <a class="name" href={`#/address/${address}`}>
          {plainText(name, MAX_NAME)}
        </a>
      )}
      <Digits
        hex={address}
        isFull={isFull}
        shown={name ? FEW_DIGITS : undefined}
        href={isLinked ? `#/address/${address}` : undefined}
      />
      <CopyButton text={address} label="address" />
    </span>
  )
}

interface DigitsProps {
  readonly hex: string
  readonly isFull: boolean
  /** At each end of a shortened text. */
  readonly shown?: number | undefined
  readonly href: string | undefined
}

/** The title has all digits of a hash, so that a shortened text never hides what it stands for. */
function Digits({ hex, isFull, shown, href }: DigitsProps): VNode {
  const title = hex.length <= MAX_TITLE ? hex : undefined
  const text = isFull ? hex : shortened(hex, shown)
  const className = isFull ? 'digits full' : 'digits'
  if (href === undefined) {
    return (
      <span class={className} title={title}>
        {text}
      </span>
    )
  }
  return (
    <a class={className} title={title} href={href}>
      {text}
    </a>
  )
}
