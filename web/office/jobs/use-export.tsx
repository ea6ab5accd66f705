/** Downloads a file that the server builds; shows its progress, a Stop button and any error. */
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { download, saveBlob } from '../../app/api-client.ts'
import { formatFileSize } from '../../ui/file-size.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { unwrap } from '../office-api-and-urls.ts'
import { Progress } from './progress.tsx'

export type ExportFile = {
  readonly path: string
  /** The file name, used if the server does not send one. */
  readonly name: string
}

/** A quick export shows no progress, because the bar would only shift the page. */
const PROGRESS_DELAY_MS = 500

/** Downloads an exported file. Stop is safe, because an export changes nothing and a partial file is never saved. */
export function useExport(): {
  readonly start: (file: ExportFile) => void
  readonly isPending: boolean
  readonly error: ReturnType<typeof useSignInOn401>
  readonly dismissError: () => void
  /** Null unless the export is slow. */
  readonly progress: ReactNode
} {
  const [bytes, setBytes] = useState(0)
  const [isSlow, setSlow] = useState(false)
  const abort = useRef<AbortController | null>(null)
  const mutation = useMutation({
    mutationFn: async ({ path, name }: ExportFile) => {
      const controller = new AbortController()
      abort.current = controller
      setBytes(0)
      const result = await download(path, { signal: controller.signal, onBytes: setBytes })
      if (controller.signal.aborted) return
      const file = unwrap(result)
      saveBlob(file.blob, file.name ?? name)
    },
  })
  const { isPending } = mutation
  useEffect(() => {
    if (!isPending) return
    const timer = setTimeout(() => setSlow(true), PROGRESS_DELAY_MS)
    return () => {
      clearTimeout(timer)
      setSlow(false)
    }
  }, [isPending])
  const size = bytes === 0 ? '' : ` (${formatFileSize(bytes)})`
  return {
    start: mutation.mutate,
    isPending,
    error: useSignInOn401(mutation.error),
    dismissError: mutation.reset,
    progress:
      isPending && isSlow ? (
        <Progress label={`Exporting${size}…`} total={null} onStop={() => abort.current?.abort()} />
      ) : null,
  }
}
