import type { VNode } from 'preact'
import { announcement, dismiss, toasts } from '../state/announcer.ts'
import { Icon } from './Icon.tsx'

/** Toasts, and announcements that only screen readers notice. */
export function LiveRegion(): VNode {
  return (
    <>
      <div class="visually-hidden" role="status">
        {announcement.value}
      </div>
      <div class="toasts" role="status">
        {toasts.value.map(({ id, text, isError }) => (
          <p key={id} class={isError ? 'toast bad' : 'toast'}>
            {isError && <Icon name="warning" />}
            <span>{text}</span>
            <button type="button" class="copy" aria-label="Dismiss" onClick={() => dismiss(id)}>
              <Icon name="close" />
            </button>
          </p>
        ))}
      </div>
    </>
  )
}
