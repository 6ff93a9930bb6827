import type { ComponentChildren, VNode } from 'preact'
import { Icon, type IconName } from './Icon.tsx'

interface Props {
  readonly children: ComponentChildren
  readonly onClick?: (() => void) | undefined
  readonly kind?: 'plain' | 'primary' | 'danger'
  readonly type?: 'button' | 'submit'
  readonly icon?: IconName
  /** Waits for the node: it cannot be pressed again. */
  readonly isBusy?: boolean
  readonly isDisabled?: boolean
  /** A longer name for screen readers. */
  readonly label?: string
}

export function Button(props: Props): VNode {
  const { children, onClick, kind = 'plain', type = 'button', icon, isBusy = false, isDisabled = false, label } = props
  return (
    <button
      type={type}
      class={`button ${kind}`}
      disabled={isDisabled || isBusy}
      aria-busy={isBusy}
      aria-label={label}
      onClick={onClick}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  )
}

interface LinkProps {
  /** `#/…` */
  readonly href: string
  readonly children: ComponentChildren
  readonly icon?: IconName
  readonly label?: string
}

/** A link that looks like a button. */
export function ButtonLink({ href, children, icon, label }: LinkProps): VNode {
  return (
    <a class="button" href={href} aria-label={label}>
      {icon && <Icon name={icon} />}
      {children}
    </a>
  )
}
