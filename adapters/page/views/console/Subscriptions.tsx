import type { VNode } from 'preact'
import { Badge } from '../../components/Badge.tsx'
import { Button } from '../../components/Button.tsx'
import { Field } from '../../components/Field.tsx'
import { Empty } from '../../components/states.tsx'
import { grouped } from '../../format/numbers.ts'
import { useAction } from '../../state/action.ts'
import { useDraft } from '../../state/drafts.ts'
import { readValue } from './parameters.ts'
import { type Subscription, subscribe, subscriptions, unsubscribe } from './subscriptions.ts'

const TYPES = ['newHeads', 'logs', 'newPendingTransactions', 'droppedPendingTransactions', 'syncing'] as const
const OBJECT: ReadonlySet<string> = new Set(['object'])

export function Subscriptions(): VNode {
  return (
    <div class="stack">
      <SubscribeForm />
      {subscriptions.value.length === 0 ? (
        <Empty title="No subscription yet." />
      ) : (
        subscriptions.value.map((one) => <Messages key={one.id} subscription={one} />)
      )}
    </div>
  )
}

function SubscribeForm(): VNode {
  const [type, setType] = useDraft('subscription', TYPES[0])
  const [options, setOptions] = useDraft('subscription options')
  const { isBusy, error, run } = useAction()
  const value = options.trim() === '' ? undefined : readValue(options.trim(), OBJECT)
  const problem = value instanceof Error ? value.message : undefined
  const submit = (event: Event): void => {
    event.preventDefault()
    if (problem !== undefined) return
    run(async () => {
      await subscribe(value === undefined ? [type] : [type, value])
      return undefined
    })
  }
  return (
    <form class="card stack" aria-label="Subscribe" onSubmit={submit}>
      <Field
        label="What to follow"
        value={type}
        onInput={setType}
        choices={TYPES.map((name) => [name, name] as const)}
      />
      <Field
        label="Options (optional)"
        hint='For logs the filter: {"address": "0x…", "topics": []}. For blocks and transactions: {"includeTransactions": true}.'
        value={options}
        onInput={setOptions}
        error={problem}
        rows={2}
      />
      <div class="row">
        <Button type="submit" kind="primary" isBusy={isBusy}>
          Subscribe
        </Button>
      </div>
      {error && (
        <p class="error-text" role="alert">
          {error}
        </p>
      )}
    </form>
  )
}

function Messages({ subscription }: { readonly subscription: Subscription }): VNode {
  const { id, text, messages, total, isEnded } = subscription
  return (
    <section class="card stack" aria-label={text}>
      <div class="row">
        <code>{text}</code>
        <Badge tone={isEnded ? 'note' : 'good'}>{isEnded ? 'ended' : 'live'}</Badge>
        <span class="muted" role="status">
          {grouped(total)} {total === 1 ? 'message' : 'messages'}
          {total > messages.length && `, the latest ${messages.length} are kept`}
        </span>
        <Button label={`Unsubscribe from ${text}`} onClick={() => void unsubscribe(id)}>
          {isEnded ? 'Remove' : 'Unsubscribe'}
        </Button>
      </div>
      {messages.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <pre class="messages" tabIndex={0}>
          {messages.join('\n')}
        </pre>
      )}
    </section>
  )
}
