/** The team, for owners of all events: invite users, set roles and events, remove users. */
import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { isRole, ROLE_DESCRIPTIONS, ROLES } from '../../../engine/index.ts'
import type { UsersAnswer, UserChangedAnswer, WireUser } from '../../../engine/api.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/payment-status-badge.tsx'
import { ApiForm, Field } from '../ui/form-fields.tsx'
import { callApi } from '../office-api-and-urls.ts'
import { useSignInOn401 } from '../expired-session.ts'
import { Banner, PageHeading } from '../ui/error-banner-and-heading.tsx'
import { readPeople, readPersonChanged } from './users-api-responses.ts'
import { formatDateTime } from '../ui/format-date-time.ts'
import '../registration/registration-details-page.css'
import './team-page.css'

const CALL = '/api/admin/admins/'

export function PeoplePage({ username }: { readonly username: string }) {
  const [told, setTold] = useState<UserChangedAnswer | null>(null)
  const query = useQuery({
    queryKey: ['people'],
    queryFn: ({ signal }) => callApi(CALL, readPeople, { signal }),
  })
  const error = useSignInOn401(query.error)
  const again = () => void query.refetch()
  const onDone = (answer: UserChangedAnswer) => {
    setTold(answer)
    again()
  }
  return (
    <main className="main" id="main" aria-busy={query.isFetching}>
      <PageHeading title="Team" />
      {error && <Banner text={error.message} action={{ label: 'Try Again', onClick: again }} />}
      {query.data === undefined && !query.isError && (
        <p className="spinner" role="status">
          <span className="spin big" aria-hidden="true" />
          <span className="vh">Loading the team</span>
        </p>
      )}
      <div role="status">{told && <Told answer={told} />}</div>
      {query.data && (
        <div className="panels top">
          <section className="pan" aria-labelledby="people">
            <h2 id="people">Members</h2>
            <ul className="log persons">
              {query.data.people.map((person) => (
                <Person
                  key={person.username}
                  person={person}
                  isSelf={person.username === username}
                  events={query.data.events}
                  onDone={onDone}
                />
              ))}
            </ul>
          </section>
          <div>
            <section className="pan" aria-labelledby="add">
              <h2 id="add">Invite</h2>
              <ApiForm
                label="Invite"
                path={CALL}
                read={readPersonChanged}
                button="Create invitation link"
                extraValues={mayIn}
                onDone={onDone}
              >
                <Field
                  name="username"
                  label="Username"
                  autoComplete="off"
                  autoCapitalize="none"
                  spellCheck={false}
                />
                <MayWhat was="viewer" chosen={null} events={query.data.events} />
              </ApiForm>
            </section>
            <Required isOn={query.data.second_factor_required} onDone={onDone} />
          </div>
        </div>
      )}
    </main>
  )
}

/** Result of an action with the link to hand over, which is shown only once. */
function Told({ answer: { message, link } }: { readonly answer: UserChangedAnswer }) {
  const [isCopied, setIsCopied] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  // The pressed button may be gone; keyboard users continue from here.
  useEffect(() => {
    setIsCopied(false)
    box.current?.focus()
  }, [message, link])
  return (
    <div className="handed" ref={box} tabIndex={-1}>
      <p>{message}</p>
      {link !== null && (
        <>
          <p className="code">{link}</p>
          <button
            type="button"
            className="btn line sm"
            onClick={() => void navigator.clipboard.writeText(link).then(() => setIsCopied(true))}
          >
            {isCopied ? 'Copied' : 'Copy link'}
          </button>
          <p className="mute small">The link works once, for three days. It is shown only now.</p>
        </>
      )}
    </div>
  )
}

type Events = UsersAnswer['events']
type OnDone = (answer: UserChangedAnswer) => void

/**
 * The role and events of a form as call parameters. They are not named `event`, which is the event
 * that the call is about.
 */
function mayIn(form: FormData): Readonly<Record<string, unknown>> {
  return { event: undefined, events: form.get('all') === 'yes' ? null : form.getAll('event') }
}

function Person({
  person,
  isSelf,
  events,
  onDone,
}: {
  readonly person: WireUser
  readonly isSelf: boolean
  readonly events: Events
  readonly onDone: OnDone
}) {
  const [isOpen, setIsOpen] = useState(false)
  const [isLeaving, setIsLeaving] = useState(false)
  const { username, role } = person
  const call = `${CALL}${encodeURIComponent(username)}/`
  const done: OnDone = (answer) => {
    setIsOpen(false)
    setIsLeaving(false)
    onDone(answer)
  }
  const titleOf = (id: string): string => events.find((event) => event.id === id)?.title ?? id
  return (
    <li>
      <div className="person">
        <span>
          <b>{username}</b>
          <small>
            {[
              `${role} for ${person.events === null ? 'all events' : person.events.map(titleOf).join(', ')}`,
              person.signed_in_at === null
                ? 'never signed in'
                : `signed in ${formatDateTime(person.signed_in_at)}`,
              ...(person.invited_until === null
                ? []
                : [`invitation valid until ${formatDateTime(person.invited_until)}`]),
            ].join(' · ')}
          </small>
        </span>
        <span className="r">
          {isSelf && (
            <Badge tone="good" icon="tick">
              You
            </Badge>
          )}
          {person.has_second_factor && (
            <Badge tone="back" icon="lock">
              Two-step sign-in
            </Badge>
          )}
        </span>
      </div>
      <details
        className="choices"
        open={isOpen}
        onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}
      >
        <summary>
          Change<span className="vh"> {username}</span>
        </summary>
        {isOpen && (
          <>
            <ApiForm
              label={`Permissions of ${username}`}
              path={`${call}may/`}
              read={readPersonChanged}
              button="Save"
              extraValues={mayIn}
              onDone={done}
            >
              <MayWhat was={role} chosen={person.events} events={events} />
            </ApiForm>
            <div className="acts">
              {!isSelf && (
                <ApiForm
                  label={`Reset the password of ${username}`}
                  path={`${call}link/`}
                  read={readPersonChanged}
                  button="Create password link"
                  isQuiet
                  onDone={done}
                />
              )}
              {!isSelf && person.has_second_factor && (
                <ApiForm
                  label={`Two-step sign-in of ${username}`}
                  path={`${call}reset-second-factor/`}
                  read={readPersonChanged}
                  button="Remove two-step sign-in"
                  isQuiet
                  onDone={done}
                />
              )}
              <button type="button" className="btn line sm" onClick={() => setIsLeaving(true)}>
                Remove
              </button>
            </div>
          </>
        )}
      </details>
      {isLeaving && (
        <Dialog title={`Remove ${username}?`} onClose={() => setIsLeaving(false)}>
          <p>
            {username} is signed out everywhere and cannot sign in again. The audit log keeps their
            entries.
          </p>
          <div className="acts">
            <ApiForm
              label={`Remove ${username}`}
              path={`${call}remove/`}
              read={readPersonChanged}
              button="Remove"
              onDone={done}
            />
            <button type="button" className="btn line sm" onClick={() => setIsLeaving(false)}>
              {' '}
              Cancel{' '}
            </button>
          </div>
        </Dialog>
      )}
    </li>
  )
}

/** A role, and the events it applies to. */
function MayWhat({
  was,
  chosen,
  events,
}: {
  readonly was: string
  readonly chosen: readonly string[] | null
  readonly events: Events
}) {
  const [now, setNow] = useState(was)
  const [isAll, setIsAll] = useState(chosen === null)
  // Events whose files are gone stay selected until the user deselects them.
  const gone = (chosen ?? []).filter((id) => events.every((event) => event.id !== id))
  return (
    <>
      <div className="lf">
        <label>
          Role
          <select name="role" value={now} onChange={({ target }) => setNow(target.value)}>
            {ROLES.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </label>
        <p className="hint">{isRole(now) && ROLE_DESCRIPTIONS[now]}</p>
      </div>
      <fieldset>
        <legend>Events</legend>
        <label className="choice">
          <input
            type="checkbox"
            name="all"
            value="yes"
            checked={isAll}
            onChange={({ target }) => setIsAll(target.checked)}
          />
          <span>All events, including future ones</span>
        </label>
        {!isAll &&
          [...events, ...gone.map((id) => ({ id, title: id }))].map(({ id, title }) => (
            <label className="choice" key={id}>
              <input
                type="checkbox"
                name="event"
                value={id}
                defaultChecked={chosen?.includes(id) ?? false}
              />
              <span>{title}</span>
            </label>
          ))}
      </fieldset>
    </>
  )
}

function Required({ isOn, onDone }: { readonly isOn: boolean; readonly onDone: OnDone }) {
  return (
    <section className="pan" aria-labelledby="required">
      <div className="ph">
        <h2 id="required">Two-step sign-in</h2>
        <Badge tone={isOn ? 'good' : 'care'} icon={isOn ? 'tick' : 'lock'}>
          {isOn ? 'Required' : 'Optional'}
        </Badge>
      </div>
      <p className="mute">
        {isOn
          ? 'Treasurers and owners can open only their own account until they set it up.'
          : 'Recommended for treasurers and owners. Users set it up under Your account.'}
      </p>
      <ApiForm
        label="Two-step sign-in requirement"
        path={`${CALL}second-factor/`}
        read={readPersonChanged}
        button={isOn ? 'Make it optional' : 'Require for treasurers and owners'}
        isQuiet
        extraValues={() => ({ required: !isOn })}
        onDone={onDone}
      />
    </section>
  )
}
