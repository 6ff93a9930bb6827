import type { VNode } from 'preact'
import { databaseOf, EXPECTED, isChainId, isName, queryOf } from '../address.ts'
import { PlaceForm } from './PlaceForm.tsx'

const DEFAULT_NAME = 'dev'

/** @param props.names of databases that are in use */
export function NewChain({ names }: { readonly names: readonly string[] }): VNode {
  const isFree = (name: string): boolean => !names.includes(databaseOf(name))
  return (
    <PlaceForm
      title="New dev chain"
      text="Begins a chain with funded accounts. It mines each transaction at once."
      fields={[
        {
          name: 'chain',
          label: 'Name',
          initial: freeName(isFree),
          accepts: (text) => isName(text) && isFree(text),
          expected: `a name that no saved chain has, of ${EXPECTED.name}`,
        },
        {
          name: 'id',
          label: 'Chain id',
          placeholder: '31337',
          isOptional: true,
          accepts: isChainId,
          expected: EXPECTED.chainId,
        },
        {
          name: 'keep',
          label: 'Keep it',
          initial: 'saved',
          choices: [
            ['saved', 'in this browser'],
            ['memory', 'until the tab is closed'],
          ],
          accepts: () => true,
          expected: 'a choice',
        },
      ]}
      submit="Create"
      queryFor={({ keep, chain, id }) => (keep === 'memory' ? queryOf({ memory: 'yes', id }) : queryOf({ chain, id }))}
    />
  )
}

/** `dev`, `dev-2`, `dev-3`, … */
function freeName(isFree: (name: string) => boolean): string {
  let name = DEFAULT_NAME
  for (let i = 2; !isFree(name); i++) name = `${DEFAULT_NAME}-${i}`
  return name
}
