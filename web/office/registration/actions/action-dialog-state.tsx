/** Opens the dialogs of a registration's actions, performs the actions, and keeps their results. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { ActionsResponse, SessionResponse } from '../../../../engine/api.ts'
import { callApi, isApiError } from '../../office-api-and-urls.ts'
import { useSignInOn401 } from '../../expired-session.ts'
import { readOutcome, type Outcome } from '../../ui/action-outcome.tsx'
import { ACTION_LABELS } from '../action-buttons.ts'
import type { ActionRequest, ButtonAction } from '../action-buttons.ts'
import { ActionDialog } from './action-and-refund-dialog.tsx'
import { buildActionsUrl } from './use-actions.ts'

type OpenDialog = {
  readonly button: ButtonAction
  /** The state shown in the dialog. While the dialog is open, this state changes only when a message is shown. */
  readonly actionData: ActionsResponse
}

/** The codes with which the server refuses an action because the registration or its payments have changed. */
const CODES_OF_CHANGES: ReadonlySet<string> = new Set(['not_now', 'moved_on', 'review_changed'])

export function useActionDialog({
  regNo,
  reload,
  onDone,
}: {
  readonly regNo: string
  /** Loads the current actions and amounts. */
  readonly reload: () => Promise<ActionsResponse | undefined>
  /** Called when the registration has changed. */
  readonly onDone: () => void
}): {
  readonly open: (button: ButtonAction, actionData: ActionsResponse) => void
  /** Performs an action without its dialog, which opens only if the action is refused. */
  readonly perform: (
    request: ActionRequest & { readonly act: ButtonAction },
    actionData: ActionsResponse,
  ) => void
  readonly isBusy: boolean
  readonly dialog: ReactNode
  /** The result of the latest action. */
  readonly outcome: Outcome | null
  readonly setOutcome: (outcome: Outcome | null) => void
} {
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null)
  const [outcome, setOutcome] = useState<Outcome | null>(null)
  const role = useQueryClient().getQueryData<SessionResponse>(['session'])?.role ?? 'viewer'
  const mutation = useMutation({
    mutationFn: (request: ActionRequest) =>
      callApi(buildActionsUrl(regNo), readOutcome, { method: 'POST', json: request }),
    onSuccess: (result) => {
      setOpenDialog(null)
      setOutcome(result)
      void reload()
      onDone()
    },
    // If the registration has changed since the dialog was opened, the dialog shows the current
    // state.
    onError: async (failure) => {
      if (!isApiError(failure) || !CODES_OF_CHANGES.has(failure.code)) return
      const actionData = await reload()
      if (actionData !== undefined)
        setOpenDialog((current) => current && { ...current, actionData })
    },
  })
  const error = useSignInOn401(mutation.error)
  return {
    open: (button, actionData) => {
      mutation.reset()
      setOutcome(null)
      setOpenDialog({ button, actionData })
    },
    perform: (request, actionData) => {
      setOutcome(null)
      mutation.mutate(request, {
        onError: () => setOpenDialog({ button: request.act, actionData }),
      })
    },
    isBusy: mutation.isPending,
    dialog: openDialog !== null && (
      <ActionDialog
        key={openDialog.button}
        button={openDialog.button}
        title={ACTION_LABELS[openDialog.button]}
        actionData={openDialog.actionData}
        userRole={role}
        error={error}
        isBusy={mutation.isPending}
        onPerform={(request) => mutation.mutate(request)}
        onClose={() => {
          setOpenDialog(null)
          mutation.reset()
        }}
      />
    ),
    outcome,
    setOutcome,
  }
}
