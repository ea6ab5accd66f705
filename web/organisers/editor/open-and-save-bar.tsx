/** The toolbar above the editor: the file, its state, opening and saving. */
import { useId, useRef } from 'react'
import type { EventCard } from '../../../engine/api.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { fileName } from './event-file-draft.ts'
import type { CheckState } from './event-file-draft.ts'

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`

type FileBarProps = {
  readonly path: string
  readonly checking: CheckState
  readonly edited: boolean
  readonly events: readonly EventCard[]
  readonly fromDisk: (file: File | undefined) => void
  readonly fromServer: (id: string) => void
  readonly save: () => void
}

/** Name and state of the file, with buttons to open and save it. */
export function FileBar({
  path,
  checking,
  edited,
  events,
  fromDisk,
  fromServer,
  save: saveFile,
}: FileBarProps) {
  const input = useRef<HTMLInputElement>(null)
  const select = useId()
  const { checked, stuck, failed } = checking
  const count = (severity: string) =>
    checked?.findings.filter((finding) => finding.severity === severity).length ?? 0
  const [errors, warnings] = [count('error'), count('warning')]
  const failing = checked?.examples.filter(({ failures }) => failures.length > 0).length ?? 0
  const passing = (checked?.examples.length ?? 0) - failing
  return (
    <div className="org-bar">
      <p className="org-name">
        <b>{fileName(path)}</b>
        {edited && <span className="mute"> (changed)</span>}
      </p>
      <p className="org-state" role="status">
        {checked === null && !stuck && !failed && <span className="mute">Reading the file</span>}
        {failed && (
          <Badge tone="care" icon="tri">
            The checker did not start in this browser. Edit and save the file here, and check it in
            another browser.
          </Badge>
        )}
        {stuck && (
          <Badge tone="care" icon="tri">
            This text takes too long to check
          </Badge>
        )}
        {errors > 0 && (
          <Badge tone="bad" icon="bang">
            {plural(errors, 'error')}
          </Badge>
        )}
        {warnings > 0 && (
          <Badge tone="care" icon="tri">
            {plural(warnings, 'warning')}
          </Badge>
        )}
        {failing > 0 && (
          <Badge
            tone="bad"
            icon="cross"
          >{`${plural(failing, 'example')} ${failing === 1 ? 'fails' : 'fail'}`}</Badge>
        )}
        {passing > 0 && (
          <Badge
            tone="good"
            icon="tick"
          >{`${plural(passing, 'example')} ${passing === 1 ? 'passes' : 'pass'}`}</Badge>
        )}
      </p>
      <div className="org-acts">
        <label className="vh" htmlFor={select}>
          Start from one of this server’s conferences
        </label>
        <select
          id={select}
          className="org-pick"
          value=""
          onChange={(event) => fromServer(event.target.value)}
        >
          <option value="" disabled>
            Start from …
          </option>
          {events.map((event) => (
            <option key={event.id} value={event.id}>
              {event.title}
            </option>
          ))}
        </select>
        <input
          ref={input}
          type="file"
          accept=".yaml,.yml"
          hidden
          aria-label="Event file"
          onChange={(event) => {
            fromDisk(event.target.files?.[0])
            event.target.value = ''
          }}
        />
        <button type="button" className="btn line sm" onClick={() => input.current?.click()}>
          <Icon name="file" />
          Open a file
        </button>
        <button type="button" className="btn sm" onClick={saveFile}>
          <Icon name="down" />
          Save file
        </button>
      </div>
    </div>
  )
}
