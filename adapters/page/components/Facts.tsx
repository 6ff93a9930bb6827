import type { ComponentChildren, VNode } from 'preact'

export interface Fact {
  readonly term: string
  /** Explains the term in one sentence. */
  readonly meaning?: string
  readonly value: ComponentChildren
}

/** Terms with values; facts without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (Fact | false | undefined)[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact.term} class="fact">
              <dt>
                {fact.term}
                {fact.meaning && <span class="meaning">{fact.meaning}</span>}
              </dt>
              <dd>{fact.value}</dd>
            </div>
          ),
      )}
    </dl>
  )
}
