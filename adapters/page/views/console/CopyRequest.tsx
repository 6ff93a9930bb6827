import type { VNode } from 'preact'
import { CopyButton } from '../../components/CopyButton.tsx'
import { nodeUrl } from '../../rpc/provider.ts'
import type { ConsoleRequest } from './consoleRequest.ts'
import { castRpc, curlRequests, viemRequest } from './copyRequest.ts'

/** Copies the request for other programs, which a node in the page does not serve. */
export function CopyRequest({ request }: { readonly request: ConsoleRequest }): VNode | null {
  const url = nodeUrl()
  if (url === undefined) return null
  return (
    <>
      <CopyButton text={curlRequests(url, [request])} label="the request for curl">
        curl
      </CopyButton>
      <CopyButton text={viemRequest(url, request)} label="the request for viem">
        viem
      </CopyButton>
      <CopyButton text={castRpc(url, request)} label="the request for cast">
        cast
      </CopyButton>
    </>
  )
}
