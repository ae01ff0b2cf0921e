/** A point in the plane of the map: x to the right, y downwards. */
export interface MapPoint {
  readonly x: number;
  readonly y: number;
}

/** Units of the map a radian: the world is 5,471 units wide, and one unit some six kilometres at the equator. */
export const MAP_SCALE = 1000;

/**
 * The Natural Earth projection of a point of a sphere with the radius 1; λ and φ are its longitude and latitude in
 * radians, and y grows northwards.
 * Šavrič, Jenny, Patterson, Petrovič and Hurni (2011), A Polynomial Equation for the Natural Earth Projection,
 * Cartography and Geographic Information Science 38 (4), equations 1 and 2.
 */
export function naturalEarth(lambda: number, phi: number): [number, number] {
  const p2 = phi * phi;
  const p4 = p2 * p2;
  const p8 = p4 * p4;
  return [
    lambda * (0.8707 - 0.131979 * p2 - 0.013791 * p4 + (0.003971 * p2 - 0.001529 * p4) * p8),
    phi * (1.007226 + 0.015085 * p2 + (0.028874 * p2 - 0.044475 - 0.005916 * p4) * p2 * p4),
  ];
}

/** Where on the map a point of the globe is; longitude and latitude are in degrees, as everywhere outside formulas. */
export function projectPoint(lon: number, lat: number): MapPoint {
  const [x, y] = naturalEarth((lon * Math.PI) / 180, (lat * Math.PI) / 180);
  return { x: x * MAP_SCALE, y: -y * MAP_SCALE };
}
