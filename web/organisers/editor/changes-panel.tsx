/** Compares the file with the version published on this server. */
import { useEffect } from 'react'
import type { ChangeGroup } from '../../../engine/authoring.ts'
import { call } from '../../app/api-client.ts'
import { readEventFile } from '../../app/api-responses.ts'
import { Icon } from '../../ui/icons-and-logo.tsx'

/** The published text of an event, or the reason why it could not be loaded. */
export type PublishedFile = {
  readonly id: string
  readonly text: string | null
  readonly problem: string | null
}

type ChangesProps = {
  /** Id of the event. The server publishes an event with the same id. */
  readonly id: string
  readonly published: PublishedFile | null
  readonly onLoad: (file: PublishedFile) => void
  /** Null until the file has been compared, and while it cannot be read. */
  readonly changes: readonly ChangeGroup[] | null
}

/** Loads the published version when the panel is first shown. */
export function Changes({ id, published, onLoad, changes }: ChangesProps) {
  const isLoaded = published?.id === id
  useEffect(() => {
    if (isLoaded) return
    void call(`/api/events/${encodeURIComponent(id)}/file/`, readEventFile).then((response) =>
      onLoad(
        response.ok
          ? { id, text: response.value.text, problem: null }
          : { id, text: null, problem: response.error.message },
      ),
    )
  }, [id, isLoaded, onLoad])
  if (isLoaded && published.problem !== null)
    return (
      <p className="org-problem" role="alert">
        <Icon name="bang" />
        {published.problem}
      </p>
    )
  return (
    <>
      <h2 className="disp">Compared with the published version</h2>
      {changes === null ? (
        <p className="org-none">The changes appear as soon as the file can be read.</p>
      ) : changes.length === 0 ? (
        <p className="org-none">Nothing changes for delegates.</p>
      ) : (
        changes.map(({ title, changes: sentences }) => (
          <section key={title} className="org-changes">
            <h3>{title}</h3>
            <ul>
              {sentences.map((sentence) => (
                <li key={sentence}>{sentence}</li>
              ))}
            </ul>
          </section>
        ))
      )}
    </>
  )
}
