/** Rehearses an event file for the editor on the organisers' page. Nothing is stored or sent. */
import type { FastifyReply } from 'fastify'
import type { RehearsalResponse } from '../../../engine/api.ts'
import type { Deps } from '../../dependencies.ts'
import { findSharedFolder } from '../../events/files/event-folder.ts'
import { sendError } from '../../http/error-response.ts'
import { rehearseInWorker } from '../../rehearsal/rehearse-in-worker.ts'
import type { Call, OfficeRoutes } from '../auth/authorization.ts'

export function addRehearsalRoutes(office: OfficeRoutes, deps: Deps): void {
  let isRunning = false
  const rehearse = async (
    { body }: Call<'all events', never, 'text'>,
    reply: FastifyReply,
  ): Promise<unknown> => {
    const text = String(body.text ?? '')
    // Starts no worker for text that cannot be an event file.
    if (!text.includes('event'))
      return sendError(reply, 422, 'not_rehearsed', 'The file does not describe an event.')
    // Runs only one rehearsal at a time, because it keeps a processor core busy for seconds and delegates need the
    // others.
    if (isRunning)
      return sendError(
        reply,
        409,
        'rehearsal_running',
        'Another rehearsal is running. Try again in a minute.',
      )
    isRunning = true
    const abortController = new AbortController()
    reply.raw.once('close', () => abortController.abort())
    try {
      const sharedFolder = findSharedFolder(deps.environment.eventsDir)
      const rehearsalResult = await rehearseInWorker(
        { text, sharedFolder },
        deps.maxRehearsalMs,
        abortController.signal,
      )
      if (!rehearsalResult.ok) return sendError(reply, 422, 'not_rehearsed', rehearsalResult.error)
      const { title, days } = rehearsalResult.value
      const response: RehearsalResponse = { status: 'success', title, days: [...days] }
      return await reply.header('cache-control', 'no-store').send(response)
    } finally {
      isRunning = false
    }
  }
  // Requires the same role as reloading the event files, because rehearsals also serve the maintainers of event files.
  office.post(
    '/admin/served-files/rehearse',
    { minRole: 'owner', target: 'all events', body: { text: 'text' } },
    rehearse,
  )
}
