import type { VNode } from 'preact'
import { Page } from '../components/Page.tsx'
import { Empty } from '../components/states.tsx'
import { place } from '../state/router.ts'

export default function NotFoundView(): VNode {
  return (
    <Page title="Not found">
      <Empty title={`There is no view ${place.value.path}.`}>
        <a href="#/">To the overview</a>
      </Empty>
    </Page>
  )
}
