import type { ComponentType, VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Boundary } from './components/Boundary.tsx'
import { Button } from './components/Button.tsx'
import { Layout } from './components/Layout.tsx'
import { Login } from './components/Login.tsx'
import { Empty, Skeleton } from './components/states.tsx'
import type { Route, ViewProps } from './routes.ts'
import { connection } from './state/node.ts'
import { place, route, viewShown } from './state/router.ts'

export function App(): VNode {
  return <Layout>{connection.value === 'login' ? <Login /> : <Outlet />}</Layout>
}

interface Loaded {
  readonly route: Route
  readonly View: ComponentType<ViewProps> | undefined
}

/** Shows the view of the route, and loads it first if it is new. */
function Outlet(): VNode {
  const { route: current, params } = route.value
  const { path, search } = place.value
  const [loaded, setLoaded] = useState<Loaded>()
  const [attempt, setAttempt] = useState(0)
  const isFirst = useRef(true)
  const title = current.title(params)

  useEffect(() => {
    let isWanted = true
    current.load().then(
      (module) => isWanted && setLoaded({ route: current, View: module.default }),
      () => isWanted && setLoaded({ route: current, View: undefined }),
    )
    return () => {
      isWanted = false
    }
  }, [current, attempt])
  useEffect(() => {
    document.title = `${title} · isonode`
  }, [title])
  const isShown = loaded?.route === current && loaded.View !== undefined
  useEffect(() => {
    if (!isShown) return
    viewShown(isFirst.current)
    isFirst.current = false
  }, [path, isShown])

  if (loaded?.route !== current) return <Skeleton lines={8} />
  const { View } = loaded
  if (View === undefined) return <LoadFailed onRetry={() => setAttempt(attempt + 1)} />
  // Another path is another thing: nothing of the last one stays in the view.
  return (
    <Boundary key={path}>
      <View params={params} search={search} />
    </Boundary>
  )
}

/** A node that was updated no longer has the files of the page that is open. */
function LoadFailed({ onRetry }: { readonly onRetry: () => void }): VNode {
  return (
    <Empty title="This part of the page could not be loaded.">
      <p>The node does not answer, or it was updated since the page was opened.</p>
      <Button onClick={onRetry}>Try again</Button> <Button onClick={() => location.reload()}>Reload the page</Button>
    </Empty>
  )
}
