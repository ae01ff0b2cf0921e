/** The connections of one client network: an IPv4 address or an IPv6 /64 network. */
export interface Network<C> {
  readonly name: string;
  readonly members: Set<C>;
}

/**
 * Client networks by the number of their connections. To add or remove a connection, and to find the network with the most, takes
 * constant time. A network without connections takes no memory.
 */
export class Networks<C> {
  readonly #byName = new Map<string, Network<C>>();
  readonly #bySize = new Map<number, Set<Network<C>>>();
  #most = 0;

  /** A network with the most connections; undefined if there is none. */
  get largest(): Network<C> | undefined {
    const [network] = this.#bySize.get(this.#most) ?? [];
    return network;
  }

  get(name: string): Network<C> | undefined {
    return this.#byName.get(name);
  }

  add(name: string, member: C): void {
    const network = this.#byName.get(name) ?? { name, members: new Set<C>() };
    const { size } = network.members;
    this.#byName.set(name, network);
    network.members.add(member);
    this.#move(network, size);
    this.#most = Math.max(this.#most, network.members.size);
  }

  /** Removes a connection of a network. */
  delete(name: string, member: C): void {
    const network = this.#byName.get(name);
    if (network?.members.delete(member) === true) {
      const { size } = network.members;
      this.#move(network, size + 1);
      if (size === 0) {
        this.#byName.delete(name);
      }
      if (!this.#bySize.has(this.#most)) {
        // The network that had the most has one less now.
        this.#most -= 1;
      }
    }
  }

  /** Files a network under its new size. */
  #move(network: Network<C>, previous: number): void {
    const old = this.#bySize.get(previous);
    old?.delete(network);
    if (old?.size === 0) {
      this.#bySize.delete(previous);
    }
    const { size } = network.members;
    if (size > 0) {
      const same = this.#bySize.get(size) ?? new Set();
      this.#bySize.set(size, same.add(network));
    }
  }
}
