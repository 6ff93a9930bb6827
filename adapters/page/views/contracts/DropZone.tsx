import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../../components/Button.tsx'

interface Props {
  readonly isBusy: boolean
  readonly onFiles: (files: readonly File[]) => void
}

/** Takes files that are dropped anywhere on the page, or chosen by a button. */
export function DropZone({ isBusy, onFiles }: Props): VNode {
  const input = useRef<HTMLInputElement>(null)
  const [isOver, setOver] = useState(false)
  const take = useRef(onFiles)
  take.current = onFiles
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      event.preventDefault()
      setOver(false)
      const files = [...(event.dataTransfer?.files ?? [])]
      if (files.length > 0) take.current(files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return (
    <div class={isOver ? 'drop over' : 'drop'}>
      <p>Drop ABIs, artifacts or build information of Hardhat, Foundry or solc here.</p>
      <Button isBusy={isBusy} onClick={() => input.current?.click()}>
        Choose files
      </Button>
      <input
        ref={input}
        type="file"
        class="visually-hidden"
        tabIndex={-1}
        aria-label="Files with contracts"
        accept=".json,.abi"
        multiple
        onChange={({ currentTarget }) => {
          take.current([...(currentTarget.files ?? [])])
          currentTarget.value = ''
        }}
      />
    </div>
  )
}
