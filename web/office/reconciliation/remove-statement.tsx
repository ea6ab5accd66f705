/** Removes a saved bank statement after confirmation. Statements with payments or decisions cannot be removed. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router-dom'
import type { WireStatementLine } from '../../../engine/api.ts'
import { Dialog, FOCUSED_FIRST } from '../../ui/dialog.tsx'
import { useSignInOn401 } from '../expired-session.ts'
import { callApi, STATEMENTS } from '../office-api-and-urls.ts'
import { readMessage } from '../office-api-responses.ts'
import { Banner } from '../ui/error-banner-and-heading.tsx'
import { useToast } from '../ui/toast.tsx'
import { buildStatementApiPath } from './statement-api-responses.ts'

type RemovalProps = { readonly id: number; readonly lines: readonly WireStatementLine[] }

export function RemoveStatement(props: RemovalProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div className="actions removal">
      <button type="button" className="btn line sm" onClick={() => setIsOpen(true)}>
        Remove statement
      </button>
      {isOpen && <RemovalDialog {...props} onClose={() => setIsOpen(false)} />}
    </div>
  )
}

function RemovalDialog({ id, lines, onClose }: RemovalProps & { readonly onClose: () => void }) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const showToast = useToast()
  const removal = useMutation({
    mutationFn: () => callApi(buildStatementApiPath(id, 'remove'), readMessage, { method: 'POST' }),
    onSuccess: async (message) => {
      showToast(message)
      await client.invalidateQueries({ queryKey: ['statements'] })
      await client.invalidateQueries({ queryKey: ['payouts'] })
      await navigate(STATEMENTS)
    },
  })
  const error = useSignInOn401(removal.error)
  const usedLineCount = lines.filter(
    ({ payments, decision }) =>
      payments.length > 0 || (decision !== null && decision.what !== 'undone'),
  ).length
  return (
    <Dialog title="Remove this statement?" onClose={onClose}>
      {error && <Banner text={error.message} />}
      {usedLineCount > 0 ? (
        <p>
          {usedLineCount === 1 ? '1 line has' : `${usedLineCount} lines have`} a recorded payment or
          a decision, so the statement cannot be removed. If a line is marked as not ours, reopen it
          first.
        </p>
      ) : (
        <p>
          It contains no recorded payments. You can upload the file again, for example in another
          currency.
        </p>
      )}
      <div className="actions">
        {usedLineCount === 0 && (
          <button
            type="button"
            className="btn"
            disabled={removal.isPending}
            onClick={() => removal.mutate()}
          >
            Remove statement
          </button>
        )}
        <button type="button" className="btn line" onClick={onClose} {...FOCUSED_FIRST}>
          {usedLineCount === 0 ? 'Keep statement' : 'Close'}
        </button>
      </div>
    </Dialog>
  )
}
