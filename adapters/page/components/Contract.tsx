import type { VNode } from 'preact'
import { contractAt } from '../state/meaning.ts'
import { Address } from './Hash.tsx'

interface Props {
  readonly value: string
  readonly isFull?: boolean
}

/** An address with the name of its contract, if the node knows one. */
export function NamedAddress({ value, isFull = false }: Props): VNode {
  const contract = contractAt(value).value
  return <Address value={value} name={contract?.matchedBy === 'code' ? contract.name : undefined} isFull={isFull} />
}
