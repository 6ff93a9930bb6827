/** Answers requests: what `node.fetch` is. */
export type Fetch = (request: Request) => Response | Promise<Response>

/**
 * For hosts that start a program with its first request (Workers, Service Workers): builds the node once, when it is
 * first asked for. A build that failed is tried again at the next request.
 * @param build gets the bindings that came with the first request
 */
export function lazyFetch<Environment>(
  build: (environment: Environment) => Promise<Fetch>,
): (request: Request, environment: Environment) => Promise<Response> {
  let built: Promise<Fetch> | undefined
  return async (request, environment) => {
    built ??= build(environment)
    let fetch: Fetch
    try {
      fetch = await built
    } catch (error) {
      built = undefined
      throw error
    }
    return fetch(request)
  }
}
