/** The start of the organisers' page: the ways to start an event file. */
import { useId, useRef, useState } from 'react'
import type { FormEvent, RefObject } from 'react'
import type { EventCard } from '../../engine/api.ts'
import { call } from '../app/api-client.ts'
import { readEventFile } from '../app/api-responses.ts'
import { Dialog, FOCUSED_FIRST } from '../ui/dialog.tsx'
import { Icon } from '../ui/icons-and-logo.tsx'
import type { FileDraft, StoredFileDraft } from './editor/event-file-draft.ts'
import { formatSavedAt } from './stored-draft.ts'
import './start-choices.css'

/** Several times the maximum size that the checker accepts. */
const MAX_FILE_BYTES = 1_000_000

type StartChoicesProps = {
  /** Receives focus when the organiser returns to the choices. */
  readonly heading: RefObject<HTMLHeadingElement | null>
  readonly events: readonly EventCard[]
  /** When the browser last stored answers about a new conference. Null if there are none. */
  readonly answersSavedAt: string | null
  /** The event file that was last open in a tab that is now closed. */
  readonly storedFile: StoredFileDraft | null
  /** Starts or continues the questions about a new conference. */
  readonly onCreate: (isContinued: boolean) => void
  readonly onOpen: (file: FileDraft) => void
}

export function StartChoices(props: StartChoicesProps) {
  const { heading, events, answersSavedAt, storedFile, onCreate, onOpen } = props
  const hasAnswers = answersSavedAt !== null
  const fileInput = useRef<HTMLInputElement>(null)
  const selectId = useId()
  const [chosenId, setChosenId] = useState(events[0]?.id ?? '')
  const [isDiscarding, setDiscarding] = useState(false)
  const [fileProblem, setFileProblem] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const copyServedFile = async (submitEvent: FormEvent) => {
    submitEvent.preventDefault()
    const response = await call(`/api/events/${encodeURIComponent(chosenId)}/file/`, readEventFile)
    if (response.ok) onOpen({ path: response.value.path, text: response.value.text, isSaved: true })
    else setProblem(response.error.message)
  }
  const openFromDisk = async (file: File | undefined) => {
    if (file === undefined) return
    const text = file.size > MAX_FILE_BYTES ? '' : (await file.text()).replaceAll('\r\n', '\n')
    // The browser decodes bytes that are not text as U+FFFD.
    const isText = file.size <= MAX_FILE_BYTES && !/[\0\uFFFD]/.test(text)
    setFileProblem(
      isText
        ? null
        : file.size > MAX_FILE_BYTES
          ? `${file.name} is too large to be an event file. An event file ends in .yaml.`
          : `${file.name} is not a text file. An event file ends in .yaml.`,
    )
    if (!isText) return
    onOpen({ path: file.name, text, isSaved: true })
  }
  return (
    <div className="wrap">
      <h2 className="disp org-begin" tabIndex={-1} ref={heading}>
        How do you want to begin?
      </h2>
      <ul className="org-choices">
        {storedFile !== null && (
          <li>
            <div>
              <h3>Your draft</h3>
              <p>
                {storedFile.file.path.split('/').at(-1)}, stored in this browser.{' '}
                <SavedAt time={formatSavedAt(storedFile.savedAt)} />
                Creating or opening another file replaces it.
              </p>
            </div>
            <div>
              <button type="button" className="btn" onClick={() => onOpen(storedFile.file)}>
                Continue your draft
              </button>
            </div>
          </li>
        )}
        <li>
          <div>
            <h3>New conference</h3>
            <p>
              Have your brochure to hand and answer up to 12 questions. You do not need to know
              YAML.
            </p>
            {hasAnswers && (
              <p>
                Your answers are kept in this browser. <SavedAt time={answersSavedAt} />
              </p>
            )}
          </div>
          <div className="org-create">
            {hasAnswers && (
              <button type="button" className="btn" onClick={() => onCreate(true)}>
                Continue with your answers
              </button>
            )}
            <button
              type="button"
              className={hasAnswers ? 'btn line' : 'btn'}
              onClick={() => (hasAnswers ? setDiscarding(true) : onCreate(false))}
            >
              {hasAnswers ? 'Start over' : 'New conference'}
            </button>
          </div>
          {isDiscarding && (
            <Dialog title="Discard your answers?" onClose={() => setDiscarding(false)}>
              <p>Your answers about the conference are kept only in this browser.</p>
              <div className="actions">
                <button
                  type="button"
                  className="btn"
                  {...FOCUSED_FIRST}
                  onClick={() => setDiscarding(false)}
                >
                  Keep my answers
                </button>
                <button type="button" className="btn line" onClick={() => onCreate(false)}>
                  Discard answers
                </button>
              </div>
            </Dialog>
          )}
        </li>
        {events.length > 0 && (
          <li>
            <div>
              <h3>Start from an existing conference</h3>
              <p>Copy the event file of a conference on this server, and adapt it for yours.</p>
            </div>
            <form onSubmit={(submitEvent) => void copyServedFile(submitEvent)}>
              <label htmlFor={selectId}>Conference</label>
              <select
                id={selectId}
                className="org-pick"
                value={chosenId}
                onChange={(event) => setChosenId(event.target.value)}
              >
                {events.map((event) => (
                  <option key={event.id} value={event.id}>
                    {event.title}
                  </option>
                ))}
              </select>
              <button type="submit" className="btn line">
                Copy event file
              </button>
              {problem !== null && (
                <p className="org-problem" role="alert">
                  <Icon name="bang" />
                  {problem}
                </p>
              )}
            </form>
          </li>
        )}
        <li>
          <div>
            <h3>Open a file</h3>
            <p>Continue with an event file on your computer. It is not uploaded.</p>
          </div>
          <div>
            <input
              ref={fileInput}
              type="file"
              accept=".yaml,.yml"
              hidden
              aria-label="Event file"
              onChange={({ target }) => {
                void openFromDisk(target.files?.[0])
                // Allows the user to choose the same file again after correcting it.
                target.value = ''
              }}
            />
            <button type="button" className="btn line" onClick={() => fileInput.current?.click()}>
              <Icon name="file" />
              Open a file
            </button>
            {fileProblem !== null && (
              <p className="org-problem" role="alert">
                <Icon name="bang" />
                {fileProblem}
              </p>
            )}
          </div>
        </li>
      </ul>
    </div>
  )
}

const SavedAt = ({ time }: { readonly time: string }) =>
  time === '' ? null : <>Last saved: {time}. </>
