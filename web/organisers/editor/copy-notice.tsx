/** A copy of a published conference has its address and number prefix: this asks for those of the new one. */
import { useId, useState } from 'react'
import type { FormEvent } from 'react'
import { addDays, countDaysBetween, isDay } from '../../../engine/index.ts'
import type { EventConfig } from '../../../engine/index.ts'
import { deriveEventId, findPrefix, repeatEvent } from '../../../engine/authoring.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'
import type { FileDraft } from './event-file-draft.ts'
import type { Repeated } from './repeated-notice.tsx'
import './copy-notice.css'

const WEEKS_DEFAULT = 52
/** Ten years. A later day is a typo. */
const WEEKS_MAX = 522
const WEEK_DAYS = 7

type CopyNoticeProps = {
  readonly event: EventConfig
  readonly text: string
  /** Of the published events. */
  readonly used: { readonly ids: readonly string[]; readonly prefixes: readonly string[] }
  readonly repeat: (file: FileDraft, repeated: Repeated) => void
}

/** Does what `rollcall event repeat` does. */
export default function CopyNotice({ event, text, used, repeat }: CopyNoticeProps) {
  const id = useId()
  const later = addDays(event.from, WEEKS_DEFAULT * WEEK_DAYS)
  const [name, setName] = useState(() => event.id.replace(/\d{4}$/, later.slice(0, 4)))
  const [first, setFirst] = useState<string>(later)
  const [problem, setProblem] = useState<string | null>(null)
  const submit = (submitEvent: FormEvent) => {
    submitEvent.preventDefault()
    const weeks = isDay(first) ? Math.round(countDaysBetween(event.from, first) / WEEK_DAYS) : 0
    const prefix = findPrefix(name, used.prefixes)
    if (deriveEventId(name) !== name)
      return setProblem(
        'The short name has lower-case letters and digits, and begins with a letter: surgeons2027.',
      )
    if (used.ids.includes(name))
      return setProblem(`${name} is published already. Write another short name.`)
    if (prefix === null)
      return setProblem('All number prefixes of this name are in use. Write another short name.')
    if (weeks < 1 || weeks > WEEKS_MAX)
      return setProblem(
        'The first day must be at least a week after that of the old conference, and at most ten years.',
      )
    const next = repeatEvent(text, event, { id: name, prefix, weeks, others: [] })
    repeat({ path: `events/${name}.yaml`, text: next.text, isSaved: false }, next)
  }
  return (
    <form className="org-copy" noValidate onSubmit={submit}>
      <p>
        This is the file of {event.title}, with its address and number prefix. To change that
        conference, edit it. For another conference, make a new file of it first:
      </p>
      <div className="org-copy-fields">
        <label htmlFor={`${id}-name`}>
          Short name, for the address
          <input
            id={`${id}-name`}
            value={name}
            autoComplete="off"
            onChange={({ target }) => setName(target.value.trim())}
          />
        </label>
        <label htmlFor={`${id}-day`}>
          First day
          <input
            id={`${id}-day`}
            type="date"
            value={first}
            onChange={({ target }) => setFirst(target.value)}
          />
        </label>
        <button type="submit" className="btn line sm">
          Make a new conference of it
        </button>
      </div>
      {problem !== null && (
        <p className="org-problem" role="alert">
          <Icon name="bang" />
          {problem}
        </p>
      )}
    </form>
  )
}
