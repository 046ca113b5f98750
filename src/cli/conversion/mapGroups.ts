import { Array, Channel, type Effect, Stream } from "effect"

/**
 * Maps the chunks of a stream. Flattening would open a stream for each chunk, and their garbage would stay until the next full collection.
 */
export const mapGroups = <A, B, E2, R2>(
  take: (group: Array.NonEmptyReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>, E2, R2>
) =>
<E, R>(stream: Stream.Stream<A, E, R>): Stream.Stream<B, E | E2, R | R2> =>
  Stream.toChannel(stream).pipe(
    Channel.mapEffect(take),
    Channel.filter(Array.isReadonlyArrayNonEmpty),
    Stream.fromChannel
  )
