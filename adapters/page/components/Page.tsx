import type { ComponentChildren, VNode } from 'preact'

interface Props {
  readonly title: ComponentChildren
  /** Buttons and links beside the title. */
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** A view: its heading takes the focus when the view opens. */
export function Page({ title, actions, children }: Props): VNode {
  return (
    <>
      <header class="page-head">
        <h1 tabIndex={-1}>{title}</h1>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  )
}

interface SectionProps {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

export function Section({ title, actions, children }: SectionProps): VNode {
  return (
    <section class="card">
      <header class="card-head">
        <h2>{title}</h2>
        {actions}
      </header>
      {children}
    </section>
  )
}
